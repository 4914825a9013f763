import type { Transaction } from '../../storage/database.ts';
import type { PaymentRow } from './payments.ts';

/** By what a parked payment may be found later. `customer` and `subscription` values carry the processor: `stripe:cus_1`. */
export interface ParkedHint {
  kind: 'external' | 'customer' | 'subscription' | 'email';
  value: string;
}

export function addParkedHint(tx: Transaction, accountId: string, hint: ParkedHint, paymentId: string) {
  return tx.run(
    `INSERT INTO parked_hints (account_id, kind, value, payment_id)
     VALUES (@accountId, @kind, @value, @paymentId) ON CONFLICT DO NOTHING`,
    { accountId, ...hint, paymentId },
  );
}

export function clearParkedHints(tx: Transaction, paymentId: string) {
  return tx.run('DELETE FROM parked_hints WHERE payment_id = @paymentId', { paymentId });
}

/** What several deliveries say of one parked payment, and what was tried with it, both as JSON. */
export function updateParked(tx: Transaction, paymentId: string, fact: string, steps: string) {
  return tx.run('UPDATE payments SET fact = @fact, steps = @steps WHERE id = @paymentId', { paymentId, fact, steps });
}

const COLUMNS = `p.id, p.processor, p.state, p.sale_id AS "saleId", p.delivery_id AS "deliveryId", p.fact, p.steps,
  p.occurred_at AS "occurredAt", p.expires_at AS "expiresAt"`;

const BY_HINT = `
  SELECT ${COLUMNS}
  FROM parked_hints h JOIN payments p ON p.id = h.payment_id
  WHERE h.account_id = @accountId AND h.kind = @kind AND h.value = @value
    AND p.state = 'parked' AND p.expires_at > @now
  ORDER BY p.id`;

const BY_EMAIL = `
  SELECT ${COLUMNS}
  FROM parked_hints h JOIN payments p ON p.id = h.payment_id
  WHERE h.account_id = @accountId AND h.kind = 'email' AND h.value = @email
    AND p.state = 'parked' AND p.expires_at > @now
    AND EXISTS (SELECT 1 FROM programs g WHERE g.account_id = @accountId AND g.email_matching = 1)
  ORDER BY p.id`;

// Joined in this order, from the few to the many: SQLite would begin with all of the account's hints.
const BY_IDENTITIES = `
  SELECT DISTINCT ${COLUMNS}
  FROM identities i CROSS JOIN parked_hints h CROSS JOIN payments p
  WHERE i.external_id = @externalId AND i.account_id || '' = @accountId
    AND h.account_id = i.account_id AND h.kind = i.kind AND h.value = i.processor || ':' || i.value
    AND p.id = h.payment_id AND p.state = 'parked' AND p.expires_at > @now
  ORDER BY p.id`;

/** Parked payments that carry the hint and still wait at `now`, earliest first. */
export function findParkedByHint(tx: Transaction, accountId: string, hint: ParkedHint, now: number) {
  return tx.all<PaymentRow>(BY_HINT, { accountId, ...hint, now });
}

/** Parked payments that carry the address (lower case); none where no program of the account matches by e-mail. */
export function findParkedByEmail(tx: Transaction, accountId: string, email: string, now: number) {
  return tx.all<PaymentRow>(BY_EMAIL, { accountId, email, now });
}

/** Parked payments of processor ids that were learned to be this customer's, without having named it themselves. */
export function findParkedByIdentities(tx: Transaction, accountId: string, externalId: string, now: number) {
  return tx.all<PaymentRow>(BY_IDENTITIES, { accountId, externalId, now });
}
