import type { AccountId, PaymentId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { ParkedHint } from './parked-hints.ts';

/** The first parked payments, expired or not, under this identifier, in the order of ids. */
export async function findParkedNaming(
  tx: Transaction,
  accountId: AccountId,
  { kind, value }: ParkedHint,
  limit: number,
): Promise<PaymentId[]> {
  const found = await tx.all<{ id: PaymentId }>(
    `SELECT payment_id AS id FROM parked_hints WHERE account_id = @accountId AND kind = @kind AND value = @value
     ORDER BY payment_id LIMIT @limit`,
    { accountId, kind, value, limit },
  );
  return found.map(({ id }) => id);
}

/** True if the payment is parked under this identifier. */
export async function isParkedUnder(
  tx: Transaction,
  accountId: AccountId,
  { kind, value }: ParkedHint,
  paymentId: PaymentId,
): Promise<boolean> {
  const sql = `SELECT 1 AS known FROM parked_hints
     WHERE account_id = @accountId AND kind = @kind AND value = @value AND payment_id = @paymentId`;
  return (await tx.get(sql, { accountId, kind, value, paymentId })) !== undefined;
}

/** The account's next parked payments with an address, in the order of addresses. */
export function findEmailHints(
  tx: Transaction,
  accountId: AccountId,
  after: { value: string; paymentId: string },
  limit: number,
) {
  return tx.all<{ value: string; paymentId: PaymentId }>(
    `SELECT value, payment_id AS "paymentId" FROM parked_hints
     WHERE account_id = @accountId AND kind = 'email' AND (value, payment_id) > (@value, @paymentId)
     ORDER BY value, payment_id LIMIT @limit`,
    { accountId, ...after, limit },
  );
}

export function deleteEmailHints(tx: Transaction, paymentId: PaymentId) {
  return tx.run(`DELETE FROM parked_hints WHERE payment_id = @paymentId AND kind = 'email'`, { paymentId });
}
