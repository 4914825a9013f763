import type { DisputeState } from '../../core/facts.ts';
import type { AccountId, DeliveryId, PaymentId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import {
  distinctRefunds,
  hasFailed,
  mergeRefund,
  type RefundRecord,
  type RefundState,
  takesTheSame,
} from '../../core/refund-report.ts';
import type { ReportedRefund } from '../../core/reversal.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyIds } from '../../storage/many-ids.ts';

export interface Refund extends RefundReport {
  failed: boolean;
}

/** One report of a refund. The processor's time is in either `refundedAt` or `failedAt`; the caller's report has none. */
export interface RefundReport extends Omit<RefundState, 'isByShare'> {
  processor: PaymentProcessor;
  refundKey: string;
  kind: ReportedRefund['kind'];
  chargeId: string | null;
  /** In a cumulative report; see `RefundedSoFar.releasedMinor`. */
  released: number | null;
  currency: string;
  deliveryId: DeliveryId | null;
  occurredAt: number;
}

export interface Dispute {
  processor: PaymentProcessor;
  disputeId: string;
  amount: number;
  currency: string;
  state: DisputeState;
  deliveryId: DeliveryId | null;
  occurredAt: number;
}

const AMOUNTS = 'amount, commissionable, lines, currency, refunded_at AS "refundedAt", failed_at AS "failedAt"';
const CHARGE = 'charge_id AS "chargeId", released';

/** A row of `refunds` as read from the database, with the lines as JSON. */
type RowOf<Row extends { lines: unknown }> = Omit<Row, 'lines' | 'failed'> & { lines: string | null; failed: number };

/** The account and payment of a report, and when it was stored. */
interface ReportContext {
  accountId: AccountId;
  paymentId: PaymentId;
  createdAt: number;
}

/**
 * Stores a report of a refund, merged with earlier ones. Returns false when it does not change what the refund takes
 * from its payment. The caller has claimed the refund's key.
 */
export async function recordRefund(tx: Transaction, refund: RefundReport & ReportContext): Promise<boolean> {
  const known = await findRefund(tx, refund.accountId, refund.processor, refund.refundKey);
  if (!known) {
    await tx.run(
      `INSERT INTO refunds (account_id, processor, refund_key, payment_id, kind, amount, currency, failed, delivery_id,
         occurred_at, created_at, commissionable, lines, by_share, refunded_at, failed_at, charge_id, released)
       VALUES (@accountId, @processor, @refundKey, @paymentId, @kind, @amount, @currency, @failed, @deliveryId,
         @occurredAt, @createdAt, @commissionable, @lines, 0, @refundedAt, @failedAt, @chargeId, @released)`,
      { ...refund, lines: asJson(refund.lines), failed: hasFailed(refund) ? 1 : 0 },
    );
    return true;
  }
  const merged = mergeRefund(known, { ...refund, isByShare: false, isFromCaller: refund.deliveryId === null });
  const { amount, commissionable, lines, currency, refundedAt, failedAt } = merged;
  const isCallers = merged.isFromCaller && amount !== null;
  await tx.run(
    `UPDATE refunds SET amount = @amount, commissionable = @commissionable, lines = @lines, currency = @currency,
       refunded_at = @refundedAt, failed_at = @failedAt, failed = @failed, delivery_id = @deliveryId,
       charge_id = COALESCE(charge_id, @chargeId), released = COALESCE(released, @released)
     WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey`,
    {
      accountId: refund.accountId,
      processor: refund.processor,
      refundKey: refund.refundKey,
      chargeId: refund.chargeId,
      released: refund.released,
      amount,
      commissionable,
      lines: asJson(lines),
      currency,
      refundedAt,
      failedAt,
      failed: hasFailed(merged) ? 1 : 0,
      // a refund without a delivery has the caller's amounts
      deliveryId: isCallers ? null : (known.deliveryId ?? refund.deliveryId),
    },
  );
  return !takesTheSame(known, merged);
}

/**
 * Renames a dispute that an earlier version stored under another id, if it can only be the same dispute: it has the
 * same amount or is still open, and was not reported before this one was opened.
 */
export function renameDispute(
  tx: Transaction,
  dispute: { accountId: AccountId; processor: PaymentProcessor; disputeId: string; amount: number; openedAt: number },
  earlierId: string,
) {
  const { accountId, processor, disputeId, amount, openedAt } = dispute;
  return tx.run(
    `UPDATE disputes SET dispute_id = @disputeId
     WHERE account_id = @accountId AND processor = @processor AND dispute_id = @earlierId
       AND (amount = @amount OR state = 'open') AND occurred_at >= @openedAt
       AND NOT EXISTS (SELECT 1 FROM disputes d
         WHERE d.account_id = @accountId AND d.processor = @processor AND d.dispute_id = @disputeId)`,
    { accountId, processor, disputeId, amount, earlierId, openedAt },
  );
}

/**
 * Stores a report of a dispute. A decided dispute never reopens. Of two verdicts, the later wins; at the same time,
 * `won` does. Returns false when nothing changed.
 */
export async function recordDispute(tx: Transaction, dispute: Dispute & ReportContext): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO disputes (account_id, processor, dispute_id, payment_id, amount, currency, state, delivery_id,
       occurred_at, created_at)
     VALUES (@accountId, @processor, @disputeId, @paymentId, @amount, @currency, @state, @deliveryId,
       @occurredAt, @createdAt)
     ON CONFLICT (account_id, processor, dispute_id) DO UPDATE SET
       amount = excluded.amount, state = excluded.state, occurred_at = excluded.occurred_at
     WHERE excluded.state <> 'open' AND (
       disputes.state = 'open'
       OR disputes.occurred_at < excluded.occurred_at
       OR (disputes.occurred_at = excluded.occurred_at AND disputes.state = 'lost' AND excluded.state = 'won'))`,
    { ...dispute },
  );
  return changed === 1;
}

/** The refunds of the payment, each once, earliest first. */
export async function findRefunds(tx: Transaction, paymentId: PaymentId): Promise<Refund[]> {
  const rows = await tx.all<RowOf<Refund>>(
    `SELECT processor, refund_key AS "refundKey", kind, ${CHARGE}, ${AMOUNTS}, failed, delivery_id AS "deliveryId",
       occurred_at AS "occurredAt"
     FROM refunds WHERE payment_id = @paymentId ORDER BY occurred_at, refund_key`,
    { paymentId },
  );
  return distinctRefunds(rows.map(withLines));
}

export function findDisputes(tx: Transaction, paymentId: PaymentId) {
  return tx.all<Dispute>(
    `SELECT processor, dispute_id AS "disputeId", amount, currency, state, delivery_id AS "deliveryId",
       occurred_at AS "occurredAt"
     FROM disputes WHERE payment_id = @paymentId ORDER BY occurred_at, dispute_id`,
    { paymentId },
  );
}

/** What a refund takes from its payment. */
export type RefundOf = Refund & { paymentId: PaymentId };
/** What a dispute takes from its payment. */
export type DisputeOf = Pick<Dispute, 'amount' | 'currency' | 'state'> & { paymentId: PaymentId };

const allRefunds = manyIds<RowOf<RefundOf>>(
  (list) => `SELECT payment_id AS "paymentId", processor, refund_key AS "refundKey", kind, ${CHARGE}, ${AMOUNTS},
      failed, delivery_id AS "deliveryId", occurred_at AS "occurredAt"
    FROM refunds WHERE payment_id IN ${list}`,
);

const allDisputes = manyIds<DisputeOf>(
  (list) => `SELECT payment_id AS "paymentId", amount, currency, state FROM disputes WHERE payment_id IN ${list}`,
);

/** The refunds of these payments, in any order. A refund from two reporters is listed twice. */
export async function findRefundsOf(tx: Transaction, paymentIds: readonly PaymentId[]): Promise<RefundOf[]> {
  return (await allRefunds(tx, paymentIds)).map(withLines);
}

function withLines<Row extends { lines: string | null; failed: number }>(row: Row) {
  return { ...row, lines: fromJson(row.lines), failed: row.failed === 1 };
}

function fromJson(lines: string | null): RefundState['lines'] {
  return lines === null ? null : JSON.parse(lines);
}

function asJson(lines: RefundState['lines']): string | null {
  return lines === null ? null : JSON.stringify(lines);
}

/** The disputes of these payments, in any order. */
export function findDisputesOf(tx: Transaction, paymentIds: readonly PaymentId[]): Promise<DisputeOf[]> {
  return allDisputes(tx, paymentIds);
}

/** The refund with this id, whichever payment it belongs to. */
export async function findRefund(
  tx: Transaction,
  accountId: AccountId,
  processor: PaymentProcessor,
  refundKey: string,
): Promise<(RefundRecord & { paymentId: PaymentId; deliveryId: DeliveryId | null }) | undefined> {
  const row = await tx.get<
    Omit<RefundRecord, 'isByShare' | 'isFromCaller' | 'lines'> & {
      paymentId: PaymentId;
      deliveryId: DeliveryId | null;
      byShare: number;
      lines: string | null;
    }
  >(
    `SELECT payment_id AS "paymentId", by_share AS "byShare", delivery_id AS "deliveryId", ${AMOUNTS} FROM refunds
     WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey`,
    { accountId, processor, refundKey },
  );
  if (!row) return undefined;
  const { byShare, lines, ...refund } = row;
  const isFromCaller = refund.deliveryId === null;
  return { ...refund, lines: fromJson(lines), isByShare: byShare === 1, isFromCaller };
}

/** The payment of a dispute. */
export function findDispute(tx: Transaction, accountId: AccountId, processor: PaymentProcessor, disputeId: string) {
  return tx.get<{ paymentId: PaymentId }>(
    `SELECT payment_id AS "paymentId" FROM disputes
     WHERE account_id = @accountId AND processor = @processor AND dispute_id = @disputeId`,
    { accountId, processor, disputeId },
  );
}

export function deleteRefund(tx: Transaction, accountId: AccountId, processor: PaymentProcessor, refundKey: string) {
  return tx.run(
    'DELETE FROM refunds WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey',
    { accountId, processor, refundKey },
  );
}

export function deleteDispute(tx: Transaction, accountId: AccountId, processor: PaymentProcessor, disputeId: string) {
  return tx.run(
    'DELETE FROM disputes WHERE account_id = @accountId AND processor = @processor AND dispute_id = @disputeId',
    { accountId, processor, disputeId },
  );
}
