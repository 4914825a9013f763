import type { EntryKind } from './ledger.ts';

/**
 * `queued` collects entries; a run makes it `processing`. `held`: a provider may have paid it or not, and a person finds
 * out. The other statuses are final.
 */
export const PAYOUT_STATUSES = ['queued', 'processing', 'held', 'paid', 'failed', 'canceled'] as const;

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** The final states of a payout; `failed` and `canceled` make its entries payable again. */
export const PAYOUT_ENDS = ['paid', 'failed', 'canceled'] as const;

export type PayoutEnd = (typeof PAYOUT_ENDS)[number];

/** True while nobody has said how the payout ended: its entries belong to it, and may already be paid. */
export function isUnderWay(status: PayoutStatus): boolean {
  return status === 'processing' || status === 'held';
}

/**
 * A payment that is ordered from a provider. `sending`: under way, and the provider is asked again. `held`: nobody knows
 * what became of it. The others are final.
 */
export const TRANSFER_STATUSES = ['sending', 'sent', 'failed', 'held'] as const;

export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/**
 * What keeps a transfer from being made until a person acts. `key`: the provider cannot be asked with the stored key.
 * `clock`: this server's clock seems to be wrong. `failure`: the attempt failed in this server.
 */
export type TransferHindrance = 'key' | 'clock' | 'failure';

/** held: not due yet. payable: due, or in a payout that is under way. paid: paid to the partner. */
export type EntryPlace = 'held' | 'payable' | 'paid';

/** What determines an entry's place. */
export interface EntryStanding {
  /** The status of the payout that contains the entry; null when no payout does. */
  payoutStatus: PayoutStatus | null;
  /** True when the hold is over and the sale does not wait for a review. */
  isDue: boolean;
}

/** The sum of entries that share currency, kind and standing, in signed minor units. */
export interface EntryGroup extends EntryStanding {
  currency: string;
  kind: EntryKind;
  amountMinor: number;
}

/**
 * A partner's money in one currency, in minor units: earned − reversed = held + payable + paid = the ledger's sum.
 * `held`, `payable` and `paid` are negative when refunds came after the payout.
 */
export interface Earnings {
  currency: string;
  /** Commissions and adjustments. */
  earned: number;
  /** Reversed by refunds and disputes. An open dispute counts until it is won. */
  reversed: number;
  held: number;
  /** Past its hold and not yet paid, including payouts that are under way. */
  payable: number;
  paid: number;
}

export function placeOf({ payoutStatus, isDue }: EntryStanding): EntryPlace {
  if (payoutStatus === 'paid') return 'paid';
  if (payoutStatus !== null && isUnderWay(payoutStatus)) return 'payable';
  return isDue ? 'payable' : 'held';
}

/** True when the amount is positive and reaches the minimum, if there is one. Minor units. */
export function isWorthPaying(amountMinor: number, minimumMinor: number | undefined): boolean {
  return amountMinor > 0 && amountMinor >= (minimumMinor ?? 0);
}

/** One item per currency, sorted by currency; empty when the partner has no entries. */
export function earningsFrom(groups: readonly EntryGroup[]): Earnings[] {
  const byCurrency = new Map<string, Earnings>();
  for (const { currency, kind, amountMinor, ...standing } of groups) {
    const sums = byCurrency.get(currency) ?? noEarnings(currency);
    byCurrency.set(currency, sums);
    if (kind === 'commission' || kind === 'adjustment') sums.earned += amountMinor;
    else sums.reversed -= amountMinor;
    sums[placeOf(standing)] += amountMinor;
  }
  return [...byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

/** Adds up the parts by currency; sorted by currency. */
export function sumEarnings(parts: readonly Earnings[]): Earnings[] {
  const byCurrency = new Map<string, Earnings>();
  for (const { currency, earned, reversed, held, payable, paid } of parts) {
    const sums = byCurrency.get(currency) ?? noEarnings(currency);
    byCurrency.set(currency, sums);
    sums.earned += earned;
    sums.reversed += reversed;
    sums.held += held;
    sums.payable += payable;
    sums.paid += paid;
  }
  return [...byCurrency.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

function noEarnings(currency: string): Earnings {
  return { currency, earned: 0, reversed: 0, held: 0, payable: 0, paid: 0 };
}
