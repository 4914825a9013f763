import type { Reversal } from './reversal.ts';

/** Kinds of signed amounts; positive is owed to the partner. `reversal` is positive when a refund was undone. */
export const ENTRY_KINDS = ['commission', 'reversal', 'dispute_hold', 'dispute_release', 'adjustment'] as const;

export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface NewEntry {
  kind: EntryKind;
  amountMinor: number;
}

/** What the ledger has of one sale so far: sums of signed amounts in minor units. */
export interface LedgerSums {
  commissionMinor: number;
  /** ≤ 0 */
  reversalMinor: number;
  /** Holds and releases together, ≤ 0. */
  holdMinor: number;
}

/**
 * The entries that bring a sale's ledger to what its refunds and disputes come to now; none where it is there already.
 * A release comes before the reversal that takes its place.
 *
 * @throws Error when the result would break 0 ≤ commission − reversed − held ≤ commission: a bug, never an input
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
