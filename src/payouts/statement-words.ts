import type { EntryKind } from '../core/ledger.ts';

/** The name of each kind of entry on a statement. An undone refund is also a reversal, with a positive amount. */
export const ENTRY_WORDS: Readonly<Record<EntryKind, string>> = {
  commission: 'Commission',
  reversal: 'Reversed',
  dispute_hold: 'Held for a dispute',
  dispute_release: 'Released after a dispute',
  adjustment: 'Adjustment',
};
