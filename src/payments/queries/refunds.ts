import type { AccountId, DeliveryId, PaymentId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import { distinctRefunds, type RefundState } from '../../core/refund-report.ts';
import type { ReportedRefund } from '../../core/reversal.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyIds } from '../../storage/many-ids.ts';
import { manyRows } from '../../storage/many-rows.ts';

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

/** A refund as it is stored: what all reports of it under the name of one processor say together. */
export interface Refund extends RefundReport, RefundState {
  paymentId: PaymentId;
  failed: boolean;
}

/** The account and payment of a report, and when it was stored. */
export interface ReportContext {
  accountId: AccountId;
  paymentId: PaymentId;
  createdAt: number;
}

/** A row of `refunds`, with the lines as JSON. */
type RefundRow = Omit<Refund, 'lines' | 'failed' | 'isByShare'> & {
  lines: string | null;
  failed: number;
  byShare: number;
};

const insertRows = manyRows<keyof RefundRow | keyof ReportContext>({
  before: `INSERT INTO refunds (account_id, processor, refund_key, payment_id, kind, amount, currency, failed,
    delivery_id, occurred_at, created_at, commissionable, lines, by_share, refunded_at, failed_at, charge_id, released)
    VALUES`,
  names: [
    'accountId',
    'processor',
    'refundKey',
    'paymentId',
    'kind',
    'amount',
    'currency',
    'failed',
    'deliveryId',
    'occurredAt',
    'createdAt',
    'commissionable',
    'lines',
    'byShare',
    'refundedAt',
    'failedAt',
    'chargeId',
    'released',
  ],
  after: '',
});

/** Stores refunds that no report named before. */
export function insertRefunds(
  tx: Transaction,
  context: Omit<ReportContext, 'paymentId'>,
  refunds: readonly Refund[],
): Promise<number> {
  return insertRows(
    tx,
    refunds.map((refund) => ({ ...asRow(refund), ...context })),
  );
}

/** Stores what a further report says about a refund. */
export function updateRefund(tx: Transaction, accountId: AccountId, refund: Refund) {
  const { kind, paymentId, byShare, ...columns } = asRow(refund);
  return tx.run(
    `UPDATE refunds SET amount = @amount, commissionable = @commissionable, lines = @lines, currency = @currency,
       refunded_at = @refundedAt, failed_at = @failedAt, failed = @failed, delivery_id = @deliveryId,
       occurred_at = @occurredAt, charge_id = @chargeId, released = @released
     WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey`,
    { accountId, ...columns },
  );
}

const COLUMNS = `payment_id AS "paymentId", processor, refund_key AS "refundKey", kind, amount, commissionable, lines,
  currency, by_share AS "byShare", refunded_at AS "refundedAt", failed_at AS "failedAt", failed,
  charge_id AS "chargeId", released, delivery_id AS "deliveryId", occurred_at AS "occurredAt"`;

const OF_PAYMENT = `SELECT ${COLUMNS} FROM refunds WHERE payment_id = @paymentId`;

/** The refunds of the payment, each once, earliest first. */
export async function findRefunds(tx: Transaction, paymentId: PaymentId): Promise<Refund[]> {
  return distinctRefunds(await findReportedRefunds(tx, paymentId));
}

/** The refunds of the payment, earliest first. One from two reporters is listed twice. */
export async function findReportedRefunds(tx: Transaction, paymentId: PaymentId): Promise<Refund[]> {
  const rows = await tx.all<RefundRow>(`${OF_PAYMENT} ORDER BY occurred_at, refund_key`, { paymentId });
  return rows.map(asRefund);
}

/** The refunds of the payment whose ids begin with this one: the refund itself, or its parts (`idsInParts`), among others. */
export async function findRefundNamed(tx: Transaction, paymentId: PaymentId, refundId: string): Promise<Refund[]> {
  const sql = `${OF_PAYMENT} AND SUBSTR(refund_key, 1, LENGTH(@refundId)) = @refundId`;
  return distinctRefunds((await tx.all<RefundRow>(sql, { paymentId, refundId })).map(asRefund));
}

/** Sets the time of refunds that only the caller's backend reported to `time`, if a clock that was ahead made it later. */
export function limitCallersTimes(tx: Transaction, paymentId: PaymentId, time: number) {
  return tx.run(
    `UPDATE refunds SET occurred_at = @time
     WHERE payment_id = @paymentId AND delivery_id IS NULL AND occurred_at > @time`,
    { paymentId, time },
  );
}

const allRefunds = manyIds<RefundRow>((list) => `SELECT ${COLUMNS} FROM refunds WHERE payment_id IN ${list}`);

/** Like `findReportedRefunds`, of many payments, in any order. */
export async function findRefundsOf(tx: Transaction, paymentIds: readonly PaymentId[]): Promise<Refund[]> {
  return (await allRefunds(tx, paymentIds)).map(asRefund);
}

const REFUND = `SELECT ${COLUMNS} FROM refunds WHERE account_id = @accountId AND processor = @processor AND refund_key`;

/** The refund with this id, whichever payment it belongs to. */
export async function findRefund(
  tx: Transaction,
  accountId: AccountId,
  processor: PaymentProcessor,
  refundKey: string,
): Promise<Refund | undefined> {
  const row = await tx.get<RefundRow>(`${REFUND} = @refundKey`, { accountId, processor, refundKey });
  return row && asRefund(row);
}

const refundsByKey = manyIds<RefundRow>((list) => `${REFUND} IN ${list}`);

/** Like `findRefund`, for many ids, in any order. */
export async function findRefundsByKey(
  tx: Transaction,
  accountId: AccountId,
  processor: PaymentProcessor,
  refundKeys: readonly string[],
): Promise<Refund[]> {
  return (await refundsByKey(tx, refundKeys, { accountId, processor })).map(asRefund);
}

/** Stores a refund as one that was reported without a processor, unless there is one with its id. */
export function removeProcessor(
  tx: Transaction,
  accountId: AccountId,
  { processor, refundKey }: Pick<Refund, 'processor' | 'refundKey'>,
) {
  return tx.run(
    `UPDATE refunds SET processor = 'custom'
     WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey
       AND NOT EXISTS (SELECT 1 FROM refunds c
         WHERE c.account_id = @accountId AND c.processor = 'custom' AND c.refund_key = @refundKey)`,
    { accountId, processor, refundKey },
  );
}

export function deleteRefund(tx: Transaction, accountId: AccountId, processor: PaymentProcessor, refundKey: string) {
  return tx.run(
    'DELETE FROM refunds WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey',
    { accountId, processor, refundKey },
  );
}

function asRefund({ byShare, lines, failed, ...refund }: RefundRow): Refund {
  return {
    ...refund,
    lines: lines === null ? null : JSON.parse(lines),
    isByShare: byShare === 1,
    failed: failed === 1,
  };
}

function asRow({ isByShare, lines, failed, ...refund }: Refund): RefundRow {
  return {
    ...refund,
    lines: lines === null ? null : JSON.stringify(lines),
    byShare: isByShare ? 1 : 0,
    failed: failed ? 1 : 0,
  };
}
