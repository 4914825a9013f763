import type { AccountId, EntryId, PartnerId, ProgramId, SaleId } from '../core/ids.ts';
import type { EntryKind, LedgerSums } from '../core/ledger.ts';
import { createId } from '../ids.ts';
import { queuePayout } from '../payouts/queue.ts';
import type { Transaction } from '../storage/database.ts';
import { insertEntry, sumOfSale } from './queries/entries.ts';

/** The partner and sale of entries, and from when they may be paid out (epoch milliseconds). */
export interface EntryOwner {
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  /** Null for an adjustment. */
  saleId: SaleId | null;
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
 * Appends to the ledger and ensures that the partner has a queued payout in the currency, which will pay the entries.
 * Returns the ids of the entries, in order.
 */
export async function addEntries(
  tx: Transaction,
  owner: EntryOwner,
  entries: readonly AddedEntry[],
  now: number,
): Promise<EntryId[]> {
  const { programId, ...columns } = owner;
  const ids: EntryId[] = [];
  for (const { kind, amountMinor, reason } of entries) {
    const id = createId('ent');
    await insertEntry(tx, { ...columns, id, kind, amount: amountMinor, reason, createdAt: now });
    ids.push(id);
  }
  const { accountId, partnerId, currency } = owner;
  await queuePayout(tx, { accountId, programId, partnerId, currency, createdAt: now });
  return ids;
}

/** The ledger's sums for one sale. */
export function ledgerSumsOf(tx: Transaction, accountId: AccountId, saleId: SaleId): Promise<LedgerSums> {
  return sumOfSale(tx, accountId, saleId);
}
