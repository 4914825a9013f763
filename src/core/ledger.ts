import type { Reversal } from './reversal.ts';
import { DAY_MS } from './time.ts';

/**
 * Adjustments may bring a partner's earnings in a currency to at most this many minor units, or this many below zero.
 * This leaves room below 2^53, where JavaScript loses precision, for the commissions that follow.
 */
export const ADJUSTED_MAX = 1_000_000_000_000_000;

/** The due date of an entry whose sale waits for a review: the latest possible time, in epoch milliseconds. */
export const UNDECIDED_DUE_AT = 8_640_000_000_000_000;

/**
 * The kinds of signed amounts; a positive amount is owed to the partner. An undone refund is a positive `reversal`. A
 * sale has at most one `commission`, which is its first entry; an `adjustment` of a sale corrects it when the sale's
 * amount becomes known.
 */
export const ENTRY_KINDS = ['commission', 'reversal', 'dispute_hold', 'dispute_release', 'adjustment'] as const;

export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface NewEntry {
  kind: EntryKind;
  amountMinor: number;
}

/** The ledger's sums for one sale so far, as signed amounts in minor units. */
export interface LedgerSums {
  /** Includes adjustments. */
  commissionMinor: number;
  /** ≤ 0 */
  reversalMinor: number;
  /** Holds plus releases, ≤ 0. */
  holdMinor: number;
}

/**
 * The entries that bring a sale's ledger in line with its refunds and disputes; empty when it already is. A release
 * comes before the reversal that replaces it.
 *
 * @throws Error when the result would break 0 ≤ commission − reversed − held ≤ commission, which only a bug can cause
 */
export function entriesFor(ledger: LedgerSums, target: Pick<Reversal, 'reversedMinor' | 'heldMinor'>): NewEntry[] {
  const { reversedMinor, heldMinor } = target;
  if (reversedMinor < 0 || heldMinor < 0 || reversedMinor + heldMinor > ledger.commissionMinor) {
    throw new Error(`reversed ${reversedMinor} and held ${heldMinor} do not fit commission ${ledger.commissionMinor}`);
  }
  const entries: NewEntry[] = [];
  const holdChange = -heldMinor - ledger.holdMinor;
  if (holdChange !== 0)
    entries.push({ kind: holdChange < 0 ? 'dispute_hold' : 'dispute_release', amountMinor: holdChange });
  const reversalChange = -reversedMinor - ledger.reversalMinor;
  if (reversalChange !== 0) entries.push({ kind: 'reversal', amountMinor: reversalChange });
  return entries;
}

/**
 * The days under which the ledger's daily sums count an entry, as UTC days since 1970: the day of its creation, and the
 * day it becomes due, which is never earlier. Takes epoch milliseconds.
 */
export function daysOf(createdAt: number, dueAt: number): { day: number; dueDay: number } {
  return { day: Math.floor(createdAt / DAY_MS), dueDay: Math.floor(Math.max(createdAt, dueAt) / DAY_MS) };
}
