import type { SaleTerms } from './commission.ts';
import type { DisputeState } from './facts.ts';
import { divideHalfUp } from './money.ts';

/** One refund as reported, in minor units of the sale's currency. */
export interface ReportedRefund {
  /** `refund`: one refund by its id. `cumulative`: the total refunded so far. */
  kind: 'refund' | 'cumulative';
  /** Null for a failure without an amount that arrived before its refund; it counts nothing until the refund arrives. */
  amountMinor: number | null;
  /** The part of the amount that gave back goods, without tax and shipping; null when the processor does not say. */
  commissionableMinor: number | null;
  /** When the processor reported it; for a failed refund, when it failed. */
  reportedAt: number;
  failed: boolean;
}

export interface ReportedDispute {
  amountMinor: number;
  state: DisputeState;
}

export interface Reversible {
  grossMinor: number;
  /** What the commission was computed on. */
  amountMinor: number;
  amountBasis: SaleTerms['amountBasis'];
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

/** Money that went back: in gross, and of it the part of the commission's base, in `1 ÷ gross` of a minor unit. */
interface Taken {
  grossMinor: number;
  base: bigint;
}

/**
 * How much of a commission the refunds and disputes take. The order of arrival does not matter.
 *
 * g is the gross and A the amount the commission was computed on. I is the sum of the refunds by id that succeeded, K the
 * greatest cumulative amount less the refunds that failed after it, and R = max(I, K). C is what R takes of A: the stated
 * part of a refund by id when the sale counts net, and A ÷ g of everything else. L are the lost disputes and O the open
 * ones, both A ÷ g of A.
 *
 * All is reversed when R + L ≥ g; otherwise round(commission × min(A, C + L × A ÷ g) ÷ A). Held is the same with O in
 * addition, less what is reversed. So both families of one refund count once, a full refund takes everything, and a refund
 * of shipping or tax alone takes nothing.
 */
export function reversalOf(
  sale: Reversible,
  refunds: readonly ReportedRefund[],
  disputes: readonly ReportedDispute[],
): Reversal {
  const { lostMinor, openMinor } = disputedOf(disputes);
  const lost = plusShare(sale, refundedOf(sale, refunds), lostMinor);
  const reportedMinor = lost.grossMinor;
  const refundedMinor = Math.min(sale.grossMinor, reportedMinor);
  if (sale.voided) return { reportedMinor, refundedMinor, reversedMinor: sale.commissionMinor, heldMinor: 0 };
  const reversedMinor = commissionTaken(sale, lost);
  const heldMinor = commissionTaken(sale, plusShare(sale, lost, openMinor)) - reversedMinor;
  return { reportedMinor, refundedMinor, reversedMinor, heldMinor };
}

function refundedOf(sale: Reversible, refunds: readonly ReportedRefund[]): Taken {
  const single = refunds.filter(({ kind }) => kind === 'refund');
  const failed = single.filter((refund) => refund.failed);
  const stated = single
    .filter((refund) => !refund.failed)
    .reduce<Taken>((taken, refund) => plusRefund(sale, taken, refund), { grossMinor: 0, base: 0n });
  const cumulative = refunds
    .filter(({ kind }) => kind === 'cumulative')
    .map(({ amountMinor, reportedAt }) => {
      const failedLater = failed.filter((failure) => failure.reportedAt > reportedAt);
      return (amountMinor ?? 0) - total(failedLater);
    });
  return plusShare(sale, stated, Math.max(0, ...cumulative.map((amount) => amount - stated.grossMinor)));
}

function plusRefund(sale: Reversible, taken: Taken, { amountMinor, commissionableMinor }: ReportedRefund): Taken {
  if (amountMinor === null) return taken;
  if (commissionableMinor === null || sale.amountBasis === 'gross') return plusShare(sale, taken, amountMinor);
  const base = BigInt(Math.min(commissionableMinor, amountMinor)) * BigInt(sale.grossMinor);
  return { grossMinor: taken.grossMinor + amountMinor, base: taken.base + base };
}

/** Adds an amount that took from the commission's base as much as from everything else. */
function plusShare(sale: Reversible, taken: Taken, amountMinor: number): Taken {
  return {
    grossMinor: taken.grossMinor + amountMinor,
    base: taken.base + BigInt(amountMinor) * BigInt(sale.amountMinor),
  };
}

/** Returned money releases lost disputes first; what a dispute won by its own status gave back is not released again. */
function disputedOf(disputes: readonly ReportedDispute[]): { lostMinor: number; openMinor: number } {
  const totalOf = (state: DisputeState) => total(disputes.filter((dispute) => dispute.state === state));
  const returnedMinor = Math.max(0, totalOf('returned') - totalOf('won'));
  const lostMinor = totalOf('lost');
  const openMinor = totalOf('open');
  return {
    lostMinor: Math.max(0, lostMinor - returnedMinor),
    openMinor: Math.max(0, openMinor - Math.max(0, returnedMinor - lostMinor)),
  };
}

function commissionTaken({ grossMinor, amountMinor, commissionMinor }: Reversible, taken: Taken): number {
  if (taken.grossMinor >= grossMinor) return commissionMinor;
  const base = BigInt(amountMinor) * BigInt(grossMinor);
  if (taken.base >= base) return commissionMinor;
  return Number(divideHalfUp(BigInt(commissionMinor) * taken.base, base));
}

function total(items: readonly { amountMinor: number | null }[]): number {
  return items.reduce((sum, item) => sum + (item.amountMinor ?? 0), 0);
}
