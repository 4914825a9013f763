import type { EntryKind, LedgerSums } from '../core/ledger.ts';
import { createId } from '../ids.ts';
import { queuePayout } from '../payouts/queue.ts';
import type { Transaction } from '../storage/database.ts';
import { insertEntry, sumOfSale } from './queries/entries.ts';

/** Whose entries they are, of which sale, and from when on they may be paid (epoch milliseconds). */
export interface EntryOwner {
  accountId: string;
  programId: string;
  partnerId: string;
  /** Null for an adjustment. */
  saleId: string | null;
  currency: string;
  availableAt: number;
}

export interface AddedEntry {
  kind: EntryKind;
  /** Signed minor units. */
  amountMinor: number;
  reason: string | null;
}

/**
 * Appends to the ledger and makes sure that the partner has a queued payout of the currency, which will pay the entries.
 * Returns the ids of the entries, in their order.
 */
export async function addEntries(
  tx: Transaction,
  owner: EntryOwner,
  entries: readonly AddedEntry[],
  now: number,
): Promise<string[]> {
  const { programId, ...columns } = owner;
  const ids: string[] = [];
  for (const { kind, amountMinor, reason } of entries) {
    const id = createId('ent');
    await insertEntry(tx, { ...columns, id, kind, amount: amountMinor, reason, createdAt: now });
    ids.push(id);
  }
  const { accountId, partnerId, currency } = owner;
  await queuePayout(tx, { accountId, programId, partnerId, currency, createdAt: now });
  return ids;
}

/** What the ledger has of one sale. */
export function ledgerSumsOf(tx: Transaction, accountId: string, saleId: string): Promise<LedgerSums> {
  return sumOfSale(tx, accountId, saleId);
}
