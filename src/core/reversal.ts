import type { DisputeState } from './facts.ts';
import { multiplyRatio } from './money.ts';

/** One refund as reported, in minor units of the sale's currency. */
export interface ReportedRefund {
  /** `refund`: one refund by its id. `cumulative`: the total refunded so far. */
  kind: 'refund' | 'cumulative';
  /** Null for a failure without an amount that arrived before its refund; it counts nothing until the refund arrives. */
  amountMinor: number | null;
  failed: boolean;
}

export interface ReportedDispute {
  amountMinor: number;
  state: DisputeState;
}

export interface Reversible {
  grossMinor: number;
  commissionMinor: number;
  /** Reversed in full regardless of refunds: the sale was rejected, or is a duplicate of another one. */
  voided: boolean;
}

export interface Reversal {
  /** The reported refunds and lost disputes; may exceed the gross. */
  reportedMinor: number;
  /** `reportedMinor`, limited to the gross. */
  refundedMinor: number;
  /** The part of the commission to take back. */
  reversedMinor: number;
  /** The part of the commission to hold while disputes are open; reversed + held ≤ commission. */
  heldMinor: number;
}

/**
 * How much of a commission the refunds and disputes take.
 *
 * g is the gross, R the greater of (sum of succeeded refunds by id) and (greatest cumulative amount − failed refunds),
 * L the lost and O the open disputes: reversed = round(commission × min(g, R + L) ÷ g), and
 * held = round(commission × min(g, R + L + O) ÷ g) − reversed. The order of arrival does not matter.
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
