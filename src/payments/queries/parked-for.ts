import type { IdentityKey } from '../../core/identity.ts';
import type { AccountId, CustomerId, PaymentId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { ParkedHint } from './parked-hints.ts';

/** A payment under an identifier; the time is null if it is not parked any more, or has expired. */
export interface FoundPayment {
  id: PaymentId;
  occurredAt: number | null;
}

/** The account, and the time at which payments must not have expired. */
export interface Matching {
  accountId: AccountId;
  now: number;
}

/** As many values as one statement of `findParkedPart` takes. */
export const VALUES_PER_PART = 64;

const PAYMENT = `f.payment_id AS id,
  CASE WHEN p.state = 'parked' AND p.expires_at > @now THEN p.occurred_at END AS "occurredAt"`;

const firstUnder = (kind: ParkedHint['kind'], parameter: string, condition = '') => `
  SELECT ${PAYMENT}
  FROM (SELECT payment_id FROM parked_hints
    WHERE account_id = @accountId AND kind = '${kind}' AND value = @${parameter} ${condition} LIMIT @limit) f
  CROSS JOIN payments p WHERE p.id = f.payment_id`;

const HAS_EMAIL_MATCHING = 'EXISTS (SELECT 1 FROM programs g WHERE g.account_id = @accountId AND g.email_matching = 1)';

const BY_EMAIL = firstUnder('email', 'email', `AND ${HAS_EMAIL_MATCHING}`);

const BY_IDENTITIES = `${firstUnder('customer', 'customer')}
  UNION ALL ${firstUnder('subscription', 'subscription')}`;

/** The processors' ids with this external id that are not assigned to a customer yet. */
const UNASSIGNED = `FROM identities i
  WHERE i.external_id = @externalId AND i.customer_id IS NULL AND i.account_id || '' = @accountId`;

// CROSS JOIN fixes the order from few rows to many. SQLite would otherwise start with all hints of the account.
const UNDER_UNASSIGNED = `
  SELECT ${PAYMENT}
  FROM (SELECT h.payment_id
    FROM (SELECT i.account_id, i.processor, i.kind, i.value ${UNASSIGNED} LIMIT @limit) u CROSS JOIN parked_hints h
    WHERE h.account_id = u.account_id AND h.kind = u.kind AND h.value = u.processor || ':' || u.value LIMIT @limit) f
  CROSS JOIN payments p WHERE p.id = f.payment_id`;

const OF_NEW = `${firstUnder('external', 'externalId')}
  UNION ALL ${firstUnder('owner', 'customerId')}
  UNION ALL ${UNDER_UNASSIGNED}
  UNION ALL ${BY_EMAIL}
  UNION ALL SELECT NULL AS id, (SELECT COUNT(*) FROM (SELECT 1 AS one ${UNASSIGNED} LIMIT @limit) u) AS "occurredAt"`;

/**
 * The first payments with this lower-case e-mail address, in any order; none when no program of the account has e-mail
 * matching.
 */
export function findFirstByEmail(tx: Transaction, matching: Matching, email: string, limit: number) {
  return tx.all<FoundPayment>(BY_EMAIL, { ...matching, email, limit });
}

/** The first payments with each of a processor's ids, which include the processor: `stripe:cus_1`; in any order. */
export function findFirstByIdentities(
  tx: Transaction,
  matching: Matching,
  { customer, subscription }: Record<IdentityKey['kind'], string | null>,
  limit: number,
) {
  return tx.all<FoundPayment>(BY_IDENTITIES, { ...matching, customer, subscription, limit });
}

/** A customer who is new to the account, or was moved; the e-mail address is in lower case. */
export interface NewPerson {
  /** Null for a customer without a row, who owns nothing yet. */
  customerId: CustomerId | null;
  externalId: string;
  email: string | null;
}

/**
 * The first payments that match any of these, in any order: the external id; a processor's id that came with it and is not
 * assigned to a customer yet, or that belongs to this one; the e-mail address, if there is one.
 *
 * @param limit how many payments to find of each, and how many ids of processors to look at and to count
 */
export async function findFirstOfNew(tx: Transaction, matching: Matching, person: NewPerson, limit: number) {
  const rows = await tx.all<FoundPayment | { id: null; occurredAt: number }>(OF_NEW, { ...matching, ...person, limit });
  return {
    found: rows.filter((row) => row.id !== null),
    unassignedCount: rows.find((row) => row.id === null)?.occurredAt ?? 0,
  };
}

/** The ids of processors with this external id that are not assigned to a customer yet, as payments are parked under them. */
export function findUnassignedHints(tx: Transaction, accountId: AccountId, externalId: string) {
  return tx.all<{ kind: IdentityKey['kind']; value: string }>(
    `SELECT i.kind, i.processor || ':' || i.value AS value ${UNASSIGNED}`,
    { accountId, externalId },
  );
}

const partUnder = (list: string) => `SELECT f.value, ${PAYMENT}
  FROM (SELECT value, payment_id FROM parked_hints
    WHERE account_id = @accountId AND kind = @kind AND value IN ${list}
      AND (value, payment_id) > (@afterValue, @afterId) AND (@kind <> 'email' OR ${HAS_EMAIL_MATCHING})
    ORDER BY value, payment_id LIMIT @limit) f
  CROSS JOIN payments p WHERE p.id = f.payment_id ORDER BY f.value, f.payment_id`;

const PART_OF_ONE = partUnder('(@value0)');
const PART_OF_SEVERAL = partUnder(
  `(${Array.from({ length: VALUES_PER_PART }, (_, index) => `@value${index}`).join(', ')})`,
);

/** A part of the payments under one to `VALUES_PER_PART` identifiers of a kind, in the order of identifiers and ids. */
export function findParkedPart(
  tx: Transaction,
  { accountId, now }: Matching,
  { kind, values }: { kind: ParkedHint['kind']; values: readonly string[] },
  { afterValue, afterId, limit }: { afterValue: string; afterId: string; limit: number },
) {
  const isOne = values.length === 1;
  const list: Record<string, string> = {};
  for (let index = 0; index < (isOne ? 1 : VALUES_PER_PART); index += 1) {
    // a shorter list repeats its last value
    list[`value${index}`] = values[Math.min(index, values.length - 1)] as string;
  }
  const parameters = { accountId, now, kind, afterValue, afterId, limit, ...list };
  return tx.all<FoundPayment & { value: string }>(isOne ? PART_OF_ONE : PART_OF_SEVERAL, parameters);
}
