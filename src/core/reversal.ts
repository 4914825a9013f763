import type { SaleTerms } from './commission.ts';
import type { DisputeState, PaidLines } from './facts.ts';
import { divideHalfUp } from './money.ts';
import { linesLeftOf, withoutUnpaidLines } from './refund-lines.ts';
import { greatestTotals } from './refund-totals.ts';
import { NO_CHARGE, type RefundedLine } from './refunded.ts';
import { refundsSince } from './refunded-elsewhere.ts';

/** One refund as reported, in minor units of the sale's currency or the shopper's. */
export interface ReportedRefund {
  /** The refund's id at the processor or reporter. It orders refunds of the same time. */
  refundKey: string;
  /** `refund`: one refund, by its id. `cumulative`: the total refunded so far. */
  kind: 'refund' | 'cumulative';
  /**
   * The charge that it is of, where several may pay one invoice, or `NO_CHARGE`; null: the whole payment, or not said.
   */
  chargeId: string | null;
  /** In a cumulative report: what of the charge was never captured; one refund by id of that amount takes nothing. */
  releasedMinor: number | null;
  /**
   * Null for a failure without an amount that arrived before its refund; it counts nothing until the refund arrives.
   */
  amountMinor: number | null;
  /** The part of the amount that gave back goods, without tax and shipping; null when the processor does not say. */
  commissionableMinor: number | null;
  /** The lines in the amount; empty when the processor does not say. */
  lines: readonly RefundedLine[];
  /** True when the amounts are in the shopper's currency. */
  isPresented: boolean;
  /** When the processor reported it; for a failed refund, when it failed. */
  reportedAt: number;
  failed: boolean;
  /** True when it was made, and had not failed, before the sale was imported. */
  isEarlier?: boolean;
}

export interface ReportedDispute {
  amountMinor: number;
  state: DisputeState;
}

export interface Reversible {
  grossMinor: number;
  /** What of the gross had been refunded when the sale was imported, for which its amount and commission are lower. */
  refundedElsewhereMinor?: number;
  /** What the commission was computed on. */
  amountMinor: number;
  amountBasis: SaleTerms['amountBasis'];
  commissionMinor: number;
  /** The gross in the shopper's currency; null when that is the sale's. */
  presentedMinor: number | null;
  /** The lines that the gross paid for; null when unknown. */
  paidLines: PaidLines | null;
  /** Reversed in full regardless of refunds: the sale was rejected, duplicates another one, or was voided elsewhere. */
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
 * Money that went back: the gross, and its share of the commission's base. A unit is a fraction of a minor unit, so
 * small that a minor unit of the sale's currency and one of the shopper's are both whole numbers of units. Sums are
 * therefore exact, and only the result is rounded.
 */
export interface Taken {
  grossUnits: bigint;
  /** In `1 ÷ g` of a unit. */
  base: bigint;
}

/**
 * How much of a commission the refunds and disputes take. The order of arrival does not matter.
 *
 * g is the gross and A the amount the commission was computed on. I is the sum of the refunds by id that succeeded, N
 * what of it is of lines that were not paid for, K the greatest cumulative amount, each less the refunds that failed
 * after it, U by how much K exceeds the refunds by id that it contains, and R = I − N + U. With several charges, U is what
 * their amounts exceed in sum, less the refunds that name no charge, or what that of the whole payment exceeds, if this
 * is more; no K contains what was paid back outside of all charges. Of an imported sale, g, I and U are without what was
 * refunded before, as A is. C is what R takes of A: the stated part of a refund by id when the sale counts net, and
 * A ÷ g of everything else. L are the lost disputes and O the open ones, both A ÷ g of A. What is in the shopper's
 * currency is converted by the two gross amounts and not rounded: many refunds take what one of their sum takes.
 *
 * Everything is reversed when R + L ≥ g, in whole minor units, and R + L > 0; otherwise
 * round(commission × min(A, C + L × A ÷ g) ÷ A). The held part is computed the same way with O added, less the reversed
 * part. So a refund reported in both forms counts once, a full refund takes everything, and a refund of only shipping or
 * tax takes nothing.
 */
export function reversalOf(
  sale: Reversible,
  refunds: readonly ReportedRefund[],
  disputes: readonly ReportedDispute[],
): Reversal {
  return reversalBy(sale, refundedOf(sale, refunds), disputes);
}

/** As `reversalOf`, with what the refunds take together. */
export function reversalBy(sale: Reversible, refunded: Taken, disputes: readonly ReportedDispute[]): Reversal {
  const { lostUnits, openUnits } = disputedOf(sale, disputes);
  const lost = plusShare(sale, refunded, lostUnits);
  const reportedMinor = toMinor(sale, lost.grossUnits) + (sale.refundedElsewhereMinor ?? 0);
  const refundedMinor = Math.min(sale.grossMinor, reportedMinor);
  if (sale.voided) return { reportedMinor, refundedMinor, reversedMinor: sale.commissionMinor, heldMinor: 0 };
  const reversedMinor = commissionTaken(sale, lost);
  const heldMinor = commissionTaken(sale, plusShare(sale, lost, openUnits)) - reversedMinor;
  return { reportedMinor, refundedMinor, reversedMinor, heldMinor };
}

/** What the refunds take together. */
export function refundedOf(sale: Reversible, refunds: readonly ReportedRefund[]): Taken {
  const byId = withoutReleases(refunds);
  const unitsOf = unitsIn(sale);
  const wholeOf = (refund: ReportedRefund) => unitsOf(refund, refund.amountMinor);
  const sumOf = (list: readonly ReportedRefund[]) => list.reduce((sum, refund) => sum + wholeOf(refund), 0n);
  const elsewhereUnits = BigInt(sale.refundedElsewhereMinor ?? 0) * unitsPerMinor(sale);
  const { whole, restUnits, unseenUnits } = refundsSince(byId, elsewhereUnits, wholeOf);
  const stated = takenBy(sale, withoutUnpaidLines(whole, linesLeftOf(sale.paidLines)));
  const totals = refunds.filter(({ kind }) => kind === 'cumulative');
  if (totals.length === 0) return plusShare(sale, stated, restUnits);
  const greatest = greatestTotals(totals, byId, wholeOf);
  const inCharges = byId.filter(({ failed, chargeId }) => !failed && chargeId !== NO_CHARGE);
  const statedOf = (charge: string | null) => sumOf(inCharges.filter(({ chargeId }) => chargeId === charge));
  let ofEach = 0n;
  for (const [charge, units] of greatest) if (charge !== null) ofEach += positive(units - statedOf(charge));
  const ofCharges = positive(ofEach - statedOf(null));
  const ofPayment = (greatest.get(null) ?? 0n) - sumOf(inCharges);
  const excess = ofPayment > ofCharges ? ofPayment : ofCharges;
  return plusShare(sale, stated, restUnits + positive(excess - unseenUnits));
}

function positive(units: bigint): bigint {
  return units > 0n ? units : 0n;
}

/** The refunds by id, of each charge without the earliest of the amount that was only released. */
function withoutReleases(refunds: readonly ReportedRefund[]): ReportedRefund[] {
  const byId = refunds.filter(({ kind }) => kind === 'refund');
  const released = refunds.filter(({ releasedMinor }) => releasedMinor !== null);
  if (released.length === 0) return byId;
  byId.sort((a, b) => a.reportedAt - b.reportedAt || (a.refundKey < b.refundKey ? -1 : 1));
  const keys = new Set(released.map(({ chargeId, releasedMinor }) => `${chargeId} ${releasedMinor}`));
  for (const key of keys) {
    const index = byId.findIndex((refund) => !refund.failed && `${refund.chargeId} ${refund.amountMinor}` === key);
    if (index !== -1) byId.splice(index, 1);
  }
  return byId;
}

/** What the refunds by id take, each of them the part that it states, or else its share. */
export function takenBy(sale: Reversible, refunds: readonly ReportedRefund[]): Taken {
  const unitsOf = unitsIn(sale);
  let shared = 0n;
  let stating = 0n;
  let commissionable = 0n;
  for (const refund of refunds) {
    const { amountMinor, commissionableMinor } = refund;
    const units = unitsOf(refund, amountMinor);
    if (commissionableMinor === null || sale.amountBasis === 'gross') {
      shared += units;
    } else {
      stating += units;
      commissionable += unitsOf(refund, Math.min(commissionableMinor, amountMinor ?? 0));
    }
  }
  const base = commissionable * BigInt(leftMinorOf(sale));
  return plusShare(sale, { grossUnits: stating, base }, shared);
}

/** Adds an amount that takes its proportional share of the commission's base. */
function plusShare(sale: Reversible, taken: Taken, units: bigint): Taken {
  return { grossUnits: taken.grossUnits + units, base: taken.base + units * BigInt(sale.amountMinor) };
}

/** What was left of the gross when the sale was imported; the gross of any other sale. */
function leftMinorOf({ grossMinor, refundedElsewhereMinor = 0 }: Reversible): number {
  return grossMinor - refundedElsewhereMinor;
}

/** The units in a minor unit of the sale's currency. A minor unit of the shopper's currency has `gross` units. */
function unitsPerMinor({ presentedMinor }: Reversible): bigint {
  return BigInt(presentedMinor ?? 1);
}

/** The units in an amount of a refund. A refund of more than the shopper paid counts as a full refund. */
function unitsIn(sale: Reversible): (refund: ReportedRefund, amountMinor: number | null) => bigint {
  const perMinor = unitsPerMinor(sale);
  const perPresentedMinor = BigInt(sale.grossMinor);
  return ({ isPresented }, amountMinor) =>
    isPresented
      ? BigInt(Math.min(amountMinor ?? 0, sale.presentedMinor ?? 0)) * perPresentedMinor
      : BigInt(amountMinor ?? 0) * perMinor;
}

function toMinor(sale: Reversible, units: bigint): number {
  return Number(divideHalfUp(units, unitsPerMinor(sale)));
}

/** Returned money releases lost disputes first. Money that a won dispute has already released is not released again. */
function disputedOf(sale: Reversible, disputes: readonly ReportedDispute[]): { lostUnits: bigint; openUnits: bigint } {
  const totalOf = (state: DisputeState) =>
    disputes.reduce((sum, dispute) => (dispute.state === state ? sum + dispute.amountMinor : sum), 0);
  const returnedMinor = Math.max(0, totalOf('returned') - totalOf('won'));
  const lostMinor = totalOf('lost');
  const openMinor = totalOf('open');
  const units = (amountMinor: number) => BigInt(Math.max(0, amountMinor)) * unitsPerMinor(sale);
  return {
    lostUnits: units(lostMinor - returnedMinor),
    openUnits: units(openMinor - Math.max(0, returnedMinor - lostMinor)),
  };
}

function commissionTaken(sale: Reversible, taken: Taken): number {
  const { amountMinor, commissionMinor } = sale;
  const leftMinor = leftMinorOf(sale);
  // an imported sale may have earned something, although all of it had been refunded before
  if (taken.grossUnits === 0n) return 0;
  if (toMinor(sale, taken.grossUnits) >= leftMinor) return commissionMinor;
  const base = BigInt(amountMinor) * BigInt(leftMinor) * unitsPerMinor(sale);
  if (taken.base >= base) return commissionMinor;
  return Number(divideHalfUp(BigInt(commissionMinor) * taken.base, base));
}
