import type { PaidLines } from './facts.ts';
import { multiplyRatio } from './money.ts';
import type { RefundedLine } from './refunded.ts';

/** What a refund by id gave back, in minor units of its own currency. */
interface LinedRefund {
  refundKey: string;
  amountMinor: number | null;
  /** Null when the processor does not say; then `lines` is not used. */
  commissionableMinor: number | null;
  lines: readonly RefundedLine[];
  reportedAt: number;
}

type RefundTime = Pick<LinedRefund, 'refundKey' | 'reportedAt'>;

/** By line, the units that were paid for and not given back yet; null when unknown, and refunds then stay unchanged. */
export type LinesLeft = Map<string, number> | null;

export function linesLeftOf(paid: PaidLines | null): LinesLeft {
  return paid === null ? null : new Map(Object.entries(paid));
}

/**
 * Removes from the refunds whatever they gave back for lines that the payment did not pay for: lines added later, and
 * units of a line beyond those paid for. When a line got more units, those refunded first, by the processor's time,
 * count as paid for, so the order of arrival does not matter. When less money went back than a refund names, the
 * shortfall first reduces the unpaid part.
 *
 * @param left of the lines that the payment paid for; becomes less by what the refunds gave back
 */
export function withoutUnpaidLines<Refund extends LinedRefund>(
  refunds: readonly Refund[],
  left: LinesLeft,
): readonly Refund[] {
  if (left === null || refunds.every(({ lines }) => lines.length === 0)) return refunds;
  return refunds.toSorted(byTime).map((refund) => {
    const { amountMinor, commissionableMinor, lines } = refund;
    // its lines are not used
    if (amountMinor === null || commissionableMinor === null) return refund;
    const paidUnits = lines.map(({ lineId, quantity }) => {
      if (lineId === null) return 0;
      const paidQuantity = Math.min(left.get(lineId) ?? 0, quantity);
      left.set(lineId, (left.get(lineId) ?? 0) - paidQuantity);
      return paidQuantity;
    });
    return withoutUnpaidUnits(refund, paidUnits);
  });
}

/**
 * As `withoutUnpaidLines`, for one refund.
 *
 * @param paidUnits of each of its lines
 */
export function withoutUnpaidUnits<Refund extends LinedRefund>(refund: Refund, paidUnits: readonly number[]): Refund {
  const { amountMinor, commissionableMinor, lines } = refund;
  if (amountMinor === null || commissionableMinor === null) return refund;
  const stated = { minor: 0, commissionableMinor: 0 };
  const unpaid = { minor: 0, commissionableMinor: 0 };
  for (const [index, { lineId, quantity, ...line }] of lines.entries()) {
    stated.minor += line.amountMinor;
    stated.commissionableMinor += line.commissionableMinor;
    if (lineId === null) continue;
    const unpaidQuantity = quantity - (paidUnits[index] ?? 0);
    unpaid.minor += multiplyRatio(line.amountMinor, unpaidQuantity, quantity);
    unpaid.commissionableMinor += multiplyRatio(line.commissionableMinor, unpaidQuantity, quantity);
  }
  if (unpaid.minor === 0) return refund;
  return { ...refund, ...without(unpaid, stated, { amountMinor, commissionableMinor }) };
}

/** An amount and its commissionable part. */
interface Part {
  minor: number;
  commissionableMinor: number;
}

/** A refund's amounts without the unpaid part of its lines. A shortfall first reduces the unpaid part. */
function without(
  unpaid: Part,
  stated: Part,
  { amountMinor, commissionableMinor }: { amountMinor: number; commissionableMinor: number },
): { amountMinor: number; commissionableMinor: number } {
  const missing = stated.minor - amountMinor;
  if (missing <= 0) {
    return {
      amountMinor: Math.max(0, amountMinor - unpaid.minor),
      commissionableMinor: Math.max(0, commissionableMinor - unpaid.commissionableMinor),
    };
  }
  const missingOfPaid = Math.max(0, missing - unpaid.minor);
  const missingCommissionable = Math.max(0, stated.commissionableMinor - commissionableMinor);
  const paidCommissionable = stated.commissionableMinor - unpaid.commissionableMinor;
  return {
    amountMinor: stated.minor - unpaid.minor - missingOfPaid,
    commissionableMinor: Math.max(0, paidCommissionable - multiplyRatio(missingCommissionable, missingOfPaid, missing)),
  };
}

/** The order in which refunds are taken from the lines that were paid for. */
export function byTime(one: RefundTime, other: RefundTime): number {
  return one.reportedAt - other.reportedAt || (one.refundKey < other.refundKey ? -1 : 1);
}
