import type { EntryKind } from '../core/ledger.ts';

/** What an entry is called on a statement. A refund that was undone is a reversal as well, with a positive amount. */
export const ENTRY_WORDS: Readonly<Record<EntryKind, string>> = {
  commission: 'Commission',
  reversal: 'Reversed',
  dispute_hold: 'Held for a dispute',
  dispute_release: 'Released after a dispute',
  adjustment: 'Adjustment',
};
