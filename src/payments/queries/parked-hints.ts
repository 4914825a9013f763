import type { AccountId, CustomerId, PaymentId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { BULK_SIZES, manyRows } from '../../storage/many-rows.ts';

/**
 * An identifier of a parked payment. `customer` and `subscription` values include the processor: `stripe:cus_1`. `owner` is
 * our id of the customer to whom one of these belongs.
 */
export interface ParkedHint {
  kind: 'external' | 'customer' | 'subscription' | 'email' | 'owner';
  value: string;
}

/** @param value lower case */
export function emailHint(value: string): ParkedHint {
  return { kind: 'email', value };
}

export function ownerHint(value: CustomerId): ParkedHint {
  return { kind: 'owner', value };
}

const INSERT_HINTS = {
  before: 'INSERT INTO parked_hints (account_id, kind, value, payment_id) VALUES',
  names: ['accountId', 'kind', 'value', 'paymentId'],
  after: 'ON CONFLICT DO NOTHING',
} as const;

const insertHints = manyRows(INSERT_HINTS);

/** Indexes a parked payment under these identifiers; idempotent. */
export function addParkedHints(
  tx: Transaction,
  accountId: AccountId,
  hints: readonly ParkedHint[],
  paymentId: PaymentId,
): Promise<number> {
  return insertHints(
    tx,
    hints.map((hint) => ({ accountId, ...hint, paymentId })),
  );
}

/** The identifiers under which a parked payment is found, and its marks. */
export function findParkedHints(tx: Transaction, paymentId: PaymentId): Promise<{ kind: string; value: string }[]> {
  return tx.all('SELECT kind, value FROM parked_hints WHERE payment_id = @paymentId', { paymentId });
}

export function clearParkedHints(tx: Transaction, paymentId: PaymentId) {
  return tx.run('DELETE FROM parked_hints WHERE payment_id = @paymentId', { paymentId });
}

/**
 * The kind of a mark: the person of the payment is known, but it is not attributed yet. Its value is the time of the
 * payment, so that the earliest come first.
 */
const DUE = 'due';

/**
 * The kind of a mark among the identifiers of parked payments: the payer was erased, but the payment is not yet. Its value is
 * the external id of the payer, or our id of a guest, if the payment may also be somebody else's; otherwise empty.
 */
export const TO_ERASE = 'to erase';

/** The account's earliest marked payments; some may not be parked any more. */
export async function findDue(tx: Transaction, accountId: AccountId, limit: number): Promise<PaymentId[]> {
  const found = await tx.all<{ id: PaymentId }>(
    `SELECT payment_id AS id FROM parked_hints WHERE account_id = @accountId AND kind = '${DUE}'
     ORDER BY value, payment_id LIMIT @limit`,
    { accountId, limit },
  );
  return found.map(({ id }) => id);
}

/** The kind of another mark: the person of the payment is known, but it failed to become their sale. */
const FAILED = 'failed';

/** Deletes both marks. */
export function deleteDue(tx: Transaction, paymentId: PaymentId) {
  const sql = `DELETE FROM parked_hints WHERE payment_id = @paymentId AND kind IN ('${DUE}', '${FAILED}')`;
  return tx.run(sql, { paymentId });
}

/** Marks a payment as failed, and no longer as due. */
export async function markFailed(tx: Transaction, accountId: AccountId, paymentId: PaymentId): Promise<void> {
  await deleteDue(tx, paymentId);
  await insertHints(tx, [{ accountId, kind: FAILED, value: '', paymentId }]);
}

/** The account's first payments that failed and are still parked. */
export async function findFailed(tx: Transaction, accountId: AccountId, limit: number): Promise<PaymentId[]> {
  const found = await tx.all<{ id: PaymentId }>(
    `SELECT p.id FROM parked_hints h JOIN payments p ON p.id = h.payment_id
     WHERE h.account_id = @accountId AND h.kind = '${FAILED}' AND h.value = '' AND p.state = 'parked'
     ORDER BY h.payment_id LIMIT @limit`,
    { accountId, limit },
  );
  return found.map(({ id }) => id);
}

/** Moves the marks of a payment to the one that it is merged into. */
export async function moveMarks(tx: Transaction, fromId: PaymentId, toId: PaymentId): Promise<void> {
  await tx.run(
    `INSERT INTO parked_hints (account_id, kind, value, payment_id)
     SELECT h.account_id, h.kind, h.value, @toId FROM parked_hints h
     WHERE h.payment_id = @fromId AND h.kind IN ('${DUE}', '${TO_ERASE}')
     ON CONFLICT DO NOTHING`,
    { fromId, toId },
  );
}

/** Marks take as few statements as possible: a person may have thousands of payments. */
const insertMarks = manyRows(INSERT_HINTS, BULK_SIZES);

const TIME_BASE = 1_000_000_000_000_000; // the digits of all times are as many

/** Marks these payments; idempotent. */
export function markDue(
  tx: Transaction,
  accountId: AccountId,
  payments: readonly { id: PaymentId; occurredAt: number }[],
): Promise<number> {
  return insertMarks(
    tx,
    payments.map(({ id, occurredAt }) => ({ accountId, kind: DUE, value: `${TIME_BASE + occurredAt}`, paymentId: id })),
  );
}
