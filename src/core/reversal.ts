import { multiplyRatio } from './money.ts';

/** One refund as it was reported, in minor units of the sale's currency. */
export interface ReportedRefund {
  /** `refund`: one refund by its id. `cumulative`: all that was refunded so far. */
  kind: 'refund' | 'cumulative';
  /** Null: a failure that was heard of first and did not say how much; counts for nothing until the refund does. */
  amountMinor: number | null;
  failed: boolean;
}

export interface ReportedDispute {
  amountMinor: number;
  state: 'open' | 'won' | 'lost';
}

export interface Reversible {
  grossMinor: number;
  commissionMinor: number;
  /** Reversed whole whatever was refunded: it turned out to be a second record of another sale, or was rejected. */
  voided: boolean;
}

export interface Reversal {
  /** What was reported of refunds and lost disputes; may be more than was paid. */
  reportedMinor: number;
  /** What of it counts: at most the gross. */
  refundedMinor: number;
  /** The part of the commission that is taken back. */
  reversedMinor: number;
  /** The part that is held while disputes are open; reversed + held ≤ commission. */
  heldMinor: number;
}

/**
 * What refunds and disputes take from a commission (design, section 7).
 *
 * g is the gross, R the greater of (sum of succeeded refunds by id) and (greatest cumulative amount − failed ones),
 * L the lost and O the open disputes: reversed = round(commission × min(g, R + L) ÷ g), and
 * held = round(commission × min(g, R + L + O) ÷ g) − reversed. A function of the set, so any order ends the same.
 */
export function reversalOf(
  sale: Reversible,
  refunds: readonly ReportedRefund[],
  disputes: readonly ReportedDispute[],
): Reversal {
  const failed = total(refunds.filter((refund) => refund.kind === 'refund' && refund.failed));
  const succeeded = total(refunds.filter((refund) => refund.kind === 'refund' && !refund.failed));
  const cumulative = refunds
    .filter((refund) => refund.kind === 'cumulative')
    .reduce((greatest, refund) => Math.max(greatest, refund.amountMinor ?? 0), 0);
  const refunded = Math.max(succeeded, cumulative - failed);
  const lost = total(disputes.filter((dispute) => dispute.state === 'lost'));
  const open = total(disputes.filter((dispute) => dispute.state === 'open'));

  const reportedMinor = refunded + lost;
  const refundedMinor = Math.min(sale.grossMinor, reportedMinor);
  if (sale.voided) return { reportedMinor, refundedMinor, reversedMinor: sale.commissionMinor, heldMinor: 0 };
  const reversedMinor = shareOf(sale, reportedMinor);
  const heldMinor = shareOf(sale, reportedMinor + open) - reversedMinor;
  return { reportedMinor, refundedMinor, reversedMinor, heldMinor };
}

function shareOf(sale: Reversible, takenMinor: number): number {
  if (sale.grossMinor === 0) return 0;
  return multiplyRatio(sale.commissionMinor, Math.min(sale.grossMinor, takenMinor), sale.grossMinor);
}

function total(items: readonly { amountMinor: number | null }[]): number {
  return items.reduce((sum, item) => sum + (item.amountMinor ?? 0), 0);
}
