import type { EntryKind } from './ledger.ts';

/** `queued` collects; a run makes it `processing`; the rest are ends. */
export const PAYOUT_STATUSES = ['queued', 'processing', 'paid', 'failed', 'canceled'] as const;

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** How a payout that is being processed ends; after `failed` and `canceled` its entries are open again. */
export const PAYOUT_ENDS = ['paid', 'failed', 'canceled'] as const;

export type PayoutEnd = (typeof PAYOUT_ENDS)[number];

/** Where a ledger entry is: too early to be paid, ready or on its way, or with the partner. */
export type EntryPlace = 'held' | 'payable' | 'paid';

/** What decides over an entry's place. */
export interface EntryStanding {
  /** Of the payout that has the entry now; null while it waits for one. */
  payoutStatus: PayoutStatus | null;
  /** The hold is over, and nobody has to decide about its sale any more. */
  isDue: boolean;
}

/** Entries of one currency and kind that stand alike, summed up in signed minor units. */
export interface EntryGroup extends EntryStanding {
  currency: string;
  kind: EntryKind;
  amountMinor: number;
}

/**
 * A partner's money in one currency, in minor units: earned − reversed = held + payable + paid = the ledger's sum.
 * All but `earned` and `reversed` may be below zero, where refunds came after the payout.
 */
export interface Earnings {
  currency: string;
  /** Commissions and adjustments. */
  earned: number;
  /** What refunds and disputes took back; an open dispute counts until it is won. */
  reversed: number;
  held: number;
  /** Past its hold and not paid; also what a payout under way has collected. */
  payable: number;
  paid: number;
}

export function placeOf({ payoutStatus, isDue }: EntryStanding): EntryPlace {
  if (payoutStatus === 'paid') return 'paid';
  if (payoutStatus === 'processing') return 'payable';
  return isDue ? 'payable' : 'held';
}

/** Whether so much is paid out: more than nothing, and not less than the minimum. Minor units. */
export function isWorthPaying(amountMinor: number, minimumMinor: number | undefined): boolean {
  return amountMinor > 0 && amountMinor >= (minimumMinor ?? 0);
}

/** One line per currency, sorted by it; none for a partner without entries. */
export function earningsFrom(groups: readonly EntryGroup[]): Earnings[] {
  const byCurrency = new Map<string, Earnings>();
  for (const { currency, kind, amountMinor, ...standing } of groups) {
    const sums = byCurrency.get(currency) ?? { currency, earned: 0, reversed: 0, held: 0, payable: 0, paid: 0 };
    byCurrency.set(currency, sums);
    if (kind === 'commission' || kind === 'adjustment') sums.earned += amountMinor;
    else sums.reversed -= amountMinor;
    sums[placeOf(standing)] += amountMinor;
  }
  return [...byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
