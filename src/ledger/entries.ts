import type { AccountId, EntryId, PartnerId, ProgramId, SaleId } from '../core/ids.ts';
import { daysOf, type EntryKind, type LedgerSums, UNDECIDED_DUE_AT } from '../core/ledger.ts';
import { createId } from '../ids.ts';
import { addToQueuedPayout } from '../payouts/queue.ts';
import type { Transaction } from '../storage/database.ts';
import { makeDue, moveToDueDays } from './queries/decided.ts';
import { addToDay, insertEntries, insertOpenEntries, type NewLedgerEntry, sumOfSale } from './queries/entries.ts';

/** The partner and sale of entries, and from when they may be paid out (epoch milliseconds). */
export interface EntryOwner {
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  /** Null for an adjustment by hand. */
  saleId: SaleId | null;
  currency: string;
  availableAt: number;
  /** Its sale waits for a review, and its entries are not due before that is decided. */
  isUndecided: boolean;
}

export interface AddedEntry {
  kind: EntryKind;
  /** Signed minor units. */
  amountMinor: number;
  reason: string | null;
}

/**
 * Appends to the ledger and adds the entries to what is open and to the sums that follow from it: the partner's queued
 * payout in the currency, which exists afterwards even without entries, and the sums per day. Returns the ids, in order.
 */
export async function addEntries(
  tx: Transaction,
  owner: EntryOwner,
  entries: readonly AddedEntry[],
  now: number,
): Promise<EntryId[]> {
  const { programId, isUndecided, ...columns } = owner;
  const { accountId, partnerId, currency, availableAt } = owner;
  const dueAt = isUndecided ? UNDECIDED_DUE_AT : availableAt;
  const rows = entries.map(({ kind, amountMinor, reason }): NewLedgerEntry => {
    return { ...columns, id: createId('ent'), kind, amount: amountMinor, reason, createdAt: now, dueAt };
  });
  await insertEntries(tx, rows);
  await insertOpenEntries(tx, rows);
  const { earned, reversed } = sumsOf(rows);
  const payout = { accountId, programId, partnerId, currency, createdAt: now };
  // other sales of the partner wait for these two rows; the payout first, as in every unit that locks both
  tx.last(`${partnerId} ${currency}`, async () => {
    await addToQueuedPayout(tx, payout, { amount: earned - reversed, entryCount: rows.length });
    if (rows.length > 0) await addToDay(tx, { partnerId, currency, ...daysOf(now, dueAt), earned, reversed });
  });
  return rows.map(({ id }) => id);
}

function sumsOf(rows: readonly NewLedgerEntry[]): { earned: number; reversed: number } {
  const sums = { earned: 0, reversed: 0 };
  for (const { kind, amount } of rows) {
    if (kind === 'commission' || kind === 'adjustment') sums.earned += amount;
    else sums.reversed -= amount;
  }
  return sums;
}

/** Makes the entries of a sale due once their hold is over, because its review was decided. */
export async function endReview(
  tx: Transaction,
  owner: Omit<EntryOwner, 'saleId' | 'isUndecided'> & { saleId: SaleId },
  now: number,
): Promise<void> {
  const { accountId, programId, partnerId, saleId, currency, availableAt } = owner;
  // changes nothing, but makes a payout run wait: it must not see entries become due while it collects them
  await addToQueuedPayout(
    tx,
    { accountId, programId, partnerId, currency, createdAt: now },
    { amount: 0, entryCount: 0 },
  );
  await makeDue(tx, { saleId, partnerId, currency, availableAt });
  await moveToDueDays(tx, { saleId, partnerId, currency });
}

/** The ledger's sums for one sale. */
export function ledgerSumsOf(tx: Transaction, saleId: SaleId): Promise<LedgerSums> {
  return sumOfSale(tx, saleId);
}
