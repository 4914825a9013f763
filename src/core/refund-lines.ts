import type { PaidLines, RefundedLine } from './facts.ts';
import { multiplyRatio } from './money.ts';

/** What a refund by id gave back, in minor units of its own currency. */
interface LinedRefund {
  refundKey: string;
  amountMinor: number | null;
  /** Null when the processor does not say; its lines are not looked at then. */
  commissionableMinor: number | null;
  lines: readonly RefundedLine[];
  reportedAt: number;
}

/**
 * The refunds without what they gave back of lines that the payment did not pay for: lines that were added later, and units
 * of a line beyond those that were paid for. Of a line that got more units, those refunded first are the ones paid for, by
 * the processor's time; so the order of arrival does not matter.
 *
 * @param paid null when unknown: the refunds are returned as they are
 */
export function withoutUnpaidLines<Refund extends LinedRefund>(
  refunds: readonly Refund[],
  paid: PaidLines | null,
): readonly Refund[] {
  if (paid === null || refunds.every(({ lines }) => lines.length === 0)) return refunds;
  const left = new Map(Object.entries(paid));
  return refunds.toSorted(byTime).map((refund) => {
    const { amountMinor, commissionableMinor, lines } = refund;
    if (amountMinor === null || commissionableMinor === null) return refund;
    let unpaidMinor = 0;
    let unpaidCommissionableMinor = 0;
    for (const line of lines) {
      const { lineId, quantity } = line;
      const paidQuantity = Math.min(left.get(lineId) ?? 0, quantity);
      left.set(lineId, (left.get(lineId) ?? 0) - paidQuantity);
      const unpaidQuantity = quantity - paidQuantity;
      unpaidMinor += multiplyRatio(line.amountMinor, unpaidQuantity, quantity);
      unpaidCommissionableMinor += multiplyRatio(line.commissionableMinor, unpaidQuantity, quantity);
    }
    return {
      ...refund,
      amountMinor: Math.max(0, amountMinor - unpaidMinor),
      commissionableMinor: Math.max(0, commissionableMinor - unpaidCommissionableMinor),
    };
  });
}

function byTime(one: LinedRefund, other: LinedRefund): number {
  return one.reportedAt - other.reportedAt || (one.refundKey < other.refundKey ? -1 : 1);
}
