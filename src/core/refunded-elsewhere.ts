import { NO_CHARGE } from './refunded.ts';
import type { ReportedRefund } from './reversal.ts';

/** What had been refunded of a sale when it was imported, for which its amount and commission were lowered before. */
export interface RefundedElsewhere {
  /** In minor units of the sale's currency. */
  amountMinor: number;
  /** When the sale was imported, in epoch milliseconds. */
  importedAt: number;
}

/**
 * The refunds without those for which the sale was lowered before: its amount of every total, and of the earliest refunds
 * by id until the import. The order of arrival does not matter.
 */
export function withoutRefundedElsewhere(
  refunds: readonly ReportedRefund[],
  { amountMinor, importedAt }: RefundedElsewhere,
): ReportedRefund[] {
  let left = amountMinor;
  return refunds
    .toSorted((a, b) => a.reportedAt - b.reportedAt)
    .map((refund) => {
      if (refund.isPresented || refund.chargeId === NO_CHARGE) return refund;
      if (refund.kind === 'cumulative') return less(refund, amountMinor);
      if (refund.failed || refund.reportedAt > importedAt) return refund;
      const before = left;
      left = Math.max(0, left - (refund.amountMinor ?? 0));
      return less(refund, before - left);
    });
}

function less(refund: ReportedRefund, minor: number): ReportedRefund {
  if (minor === 0) return refund;
  return {
    ...refund,
    amountMinor: Math.max(0, (refund.amountMinor ?? 0) - minor),
    commissionableMinor: null,
    lines: [],
  };
}
