import type { Transaction } from '../storage/database.ts';
import type { NewLedgerEntry } from './queries/entries.ts';

/** The entries of each unit of work that has a collector. */
const collected = new WeakMap<Transaction, NewLedgerEntry[]>();

/** Collects the entries that this unit of work adds to the ledger; the array grows as it does. */
export function collectEntries(tx: Transaction): readonly NewLedgerEntry[] {
  const entries: NewLedgerEntry[] = [];
  collected.set(tx, entries);
  return entries;
}

/** Passes new entries to the unit's collector. Without one, as for all but explanations, nothing happens. */
export function noteEntries(tx: Transaction, entries: readonly NewLedgerEntry[]): void {
  collected.get(tx)?.push(...entries);
}
