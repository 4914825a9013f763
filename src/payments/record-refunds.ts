import { isDeepStrictEqual } from 'node:util';
import { hasFailed, mergeRefund, takesTheSame } from '../core/refund-report.ts';
import type { Transaction } from '../storage/database.ts';
import {
  findRefund,
  insertRefunds,
  type Refund,
  type RefundReport,
  type ReportContext,
  updateRefund,
} from './queries/refunds.ts';

type Report = RefundReport & Pick<ReportContext, 'paymentId'>;

/** A report, and what it makes of its refund. */
export interface MergedReport {
  report: Report;
  refund: Refund;
  /** False when the report does not change what the refund takes from its payment. */
  isNew: boolean;
}

/**
 * Stores a report of a refund, merged with earlier ones. Returns false when it does not change what the refund takes
 * from its payment. The caller has claimed the refund's key.
 */
export async function recordRefund(tx: Transaction, report: RefundReport & ReportContext): Promise<boolean> {
  const { accountId, createdAt, ...reported } = report;
  const stored = await findRefund(tx, accountId, report.processor, report.refundKey);
  const known = stored === undefined ? [] : [stored];
  const refunds = withReports(known, [reported]);
  storeRefunds(tx, { accountId, createdAt }, known, refunds);
  return refunds.some(({ isNew }) => isNew);
}

/**
 * Merges reports by one reporter into its refunds, one after the other; the result has one for each report.
 *
 * @param known the refunds that are stored under these keys
 */
export function withReports(known: readonly Refund[], reports: readonly Report[]): MergedReport[] {
  const refunds = new Map(known.map((refund) => [refund.refundKey, refund]));
  return reports.map((report) => {
    const before = refunds.get(report.refundKey);
    const refund = before === undefined ? asRefund(report) : withReport(before, report);
    refunds.set(report.refundKey, refund);
    return { report, refund, isNew: before === undefined || !takesTheSame(before, refund) };
  });
}

/** Stores what `withReports` made of the known refunds. */
export function storeRefunds(
  tx: Transaction,
  context: Omit<ReportContext, 'paymentId'>,
  known: readonly Refund[],
  reported: readonly MergedReport[],
): void {
  const stored = new Map(known.map((refund) => [refund.refundKey, refund]));
  const last = [...new Map(reported.map(({ refund }) => [refund.refundKey, refund])).values()];
  const added = last.filter(({ refundKey }) => !stored.has(refundKey));
  tx.unawaited(insertRefunds(tx, context, added));
  for (const refund of last) {
    const before = stored.get(refund.refundKey);
    if (before === undefined || isDeepStrictEqual(before, refund)) continue;
    tx.unawaited(updateRefund(tx, context.accountId, refund));
  }
}

function asRefund(report: Report): Refund {
  return { ...report, isByShare: false, failed: hasFailed(report) };
}

function withReport(known: Refund, report: Report): Refund {
  const { isFromCaller, ...merged } = mergeRefund(recordOf(known), recordOf(asRefund(report)));
  const isCallers = isFromCaller && merged.amount !== null;
  // if the sale turns out to be in another currency, only this delivery is applied again
  const isDecisive = !takesTheSame(known, merged) && hasFailed(report) === hasFailed(merged);
  return {
    ...known,
    ...merged,
    failed: hasFailed(merged),
    // a refund without a delivery has the caller's amounts
    deliveryId: isCallers ? null : ((isDecisive ? report.deliveryId : null) ?? known.deliveryId ?? report.deliveryId),
    occurredAt: Math.min(known.occurredAt, report.occurredAt),
    chargeId: known.chargeId ?? report.chargeId,
    released: known.released ?? report.released,
  };
}

function recordOf(refund: Refund) {
  return { ...refund, isFromCaller: refund.deliveryId === null };
}
