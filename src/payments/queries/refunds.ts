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
  /** When it was made, or else reported first. */
  occurredAt: number;
}

const AMOUNTS = 'amount, commissionable, lines, currency, refunded_at AS "refundedAt", failed_at AS "failedAt"';
const CHARGE = 'charge_id AS "chargeId", released';

/** A row of `refunds` as read from the database, with the lines as JSON. */
type RowOf<Row extends { lines: unknown }> = Omit<Row, 'lines' | 'failed'> & { lines: string | null; failed: number };

/** The account and payment of a report, and when it was stored. */
export interface ReportContext {
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
  const isChanged = !takesTheSame(known, merged);
  // if the sale turns out to be in another currency, only this delivery is applied again
  const isDecisive = isChanged && hasFailed(refund) === hasFailed(merged);
  await tx.run(
    `UPDATE refunds SET amount = @amount, commissionable = @commissionable, lines = @lines, currency = @currency,
       refunded_at = @refundedAt, failed_at = @failedAt, failed = @failed, delivery_id = @deliveryId,
       occurred_at = CASE WHEN occurred_at > @occurredAt THEN @occurredAt ELSE occurred_at END,
       charge_id = COALESCE(charge_id, @chargeId), released = COALESCE(released, @released)
     WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey`,
    {
      accountId: refund.accountId,
      processor: refund.processor,
      refundKey: refund.refundKey,
      chargeId: refund.chargeId,
      released: refund.released,
      occurredAt: refund.occurredAt,
      amount,
      commissionable,
      lines: asJson(lines),
      currency,
      refundedAt,
      failedAt,
      failed: hasFailed(merged) ? 1 : 0,
      // a refund without a delivery has the caller's amounts
      deliveryId: isCallers ? null : ((isDecisive ? refund.deliveryId : null) ?? known.deliveryId ?? refund.deliveryId),
    },
  );
  return isChanged;
}

const OF_PAYMENT = `SELECT processor, refund_key AS "refundKey", kind, ${CHARGE}, ${AMOUNTS}, failed,
    delivery_id AS "deliveryId", occurred_at AS "occurredAt"
  FROM refunds WHERE payment_id = @paymentId`;

/** The refunds of the payment, each once, earliest first. */
export async function findRefunds(tx: Transaction, paymentId: PaymentId): Promise<Refund[]> {
  const rows = await tx.all<RowOf<Refund>>(`${OF_PAYMENT} ORDER BY occurred_at, refund_key`, { paymentId });
  return distinctRefunds(rows.map(withLines));
}

/** The refunds of the payment whose ids begin with this one: the refund itself, or its parts (`idsInParts`), among others. */
export async function findRefundNamed(tx: Transaction, paymentId: PaymentId, refundId: string): Promise<Refund[]> {
  const rows = await tx.all<RowOf<Refund>>(`${OF_PAYMENT} AND SUBSTR(refund_key, 1, LENGTH(@refundId)) = @refundId`, {
    paymentId,
    refundId,
  });
  return distinctRefunds(rows.map(withLines));
}

/** Sets the time of refunds that only the caller's backend reported to `time`, if a clock that was ahead made it later. */
export function limitCallersTimes(tx: Transaction, paymentId: PaymentId, time: number) {
  return tx.run(
    `UPDATE refunds SET occurred_at = @time
     WHERE payment_id = @paymentId AND delivery_id IS NULL AND occurred_at > @time`,
    { paymentId, time },
  );
}

/** What a refund takes from its payment. */
export type RefundOf = Refund & { paymentId: PaymentId };

const allRefunds = manyIds<RowOf<RefundOf>>(
  (list) => `SELECT payment_id AS "paymentId", processor, refund_key AS "refundKey", kind, ${CHARGE}, ${AMOUNTS},
      failed, delivery_id AS "deliveryId", occurred_at AS "occurredAt"
    FROM refunds WHERE payment_id IN ${list}`,
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

export function deleteRefund(tx: Transaction, accountId: AccountId, processor: PaymentProcessor, refundKey: string) {
  return tx.run(
    'DELETE FROM refunds WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey',
    { accountId, processor, refundKey },
  );
}
