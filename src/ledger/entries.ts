import type { AccountId, EntryId, PartnerId, ProgramId, SaleId } from '../core/ids.ts';
import { daysOf, type EntryKind, UNDECIDED_DUE_AT } from '../core/ledger.ts';
import { recordEvents } from '../events/record.ts';
import { isWanted } from '../events/subscriptions.ts';
import { createId } from '../ids.ts';
import { addToQueuedLast, addToQueuedPayout, inLockOrder } from '../payouts/queue.ts';
import type { Transaction } from '../storage/database.ts';
import { noteEntries } from './collected-entries.ts';
import { asEntry } from './entry-resource.ts';
import { makeDue, moveToDueDays } from './queries/decided.ts';
import {
  type AddedToDay,
  addToDays,
  findFinalEntries,
  insertEntries,
  insertOpenEntries,
  type NewLedgerEntry,
} from './queries/entries.ts';
import { findEntry } from './queries/list.ts';

export { ledgerSumsOf } from './queries/entries.ts';

/** The partner and sale of entries, and the time from which they may be paid out (epoch milliseconds). */
export interface EntryOwner {
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  /** Null for an adjustment by hand. */
  saleId: SaleId | null;
  currency: string;
  availableAt: number;
  /** True when the entries' sale waits for a review. The entries are not due before the decision. */
  isUndecided: boolean;
}

export interface AddedEntry {
  kind: EntryKind;
  /** Signed minor units. */
  amountMinor: number;
  reason: string | null;
}

/** Sorts after queued payouts, and before the daily results, whose rows are shared by more units. */
const LAST_KEY = 'ledger';

/**
 * Appends to the ledger and updates everything that depends on it: the open entries, the partner's queued payout in the
 * currency, and the daily sums. The queued payout exists afterwards even without entries. Returns the ids, in order.
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
  noteEntries(tx, rows);
  tx.unawaited(insertEntries(tx, rows));
  tx.unawaited(insertOpenEntries(tx, rows));
  await recordEntryEvents(tx, accountId, rows, now);
  const { earned, reversed } = sumsOf(rows);
  const payout = { accountId, programId, partnerId, currency, createdAt: now };
  // updated last, because other sales of the partner wait for these two rows
  addToQueuedLast(tx, { ...payout, amount: earned - reversed, entryCount: rows.length });
  if (rows.length > 0) tx.last(LAST_KEY, addToSums, { partnerId, currency, ...daysOf(now, dueAt), earned, reversed });
  return rows.map(({ id }) => id);
}

async function recordEntryEvents(tx: Transaction, accountId: AccountId, rows: readonly NewLedgerEntry[], now: number) {
  if (rows.length === 0 || !(await isWanted(tx, accountId, 'commission.created'))) return;
  // a failed insert then throws its own error instead of appearing as a missing entry
  await tx.settled();
  const events = [];
  for (const { id } of rows) {
    const entry = await findEntry(tx, accountId, id);
    if (entry) events.push({ occurredAt: now, data: asEntry(entry) });
  }
  await recordEvents(tx, { accountId, type: 'commission.created' }, events);
}

/**
 * Adds to each day once, in the order of partners, so that no two units deadlock. Uses one statement for many rows,
 * because the units of a commit concern nearly as many partners.
 */
async function addToSums(tx: Transaction, added: readonly AddedToDay[]): Promise<void> {
  const days = new Map<string, AddedToDay>();
  for (const day of added) {
    const key = `${day.partnerId} ${day.currency} ${day.day} ${day.dueDay}`;
    const { earned, reversed } = days.get(key) ?? { earned: 0, reversed: 0 };
    days.set(key, { ...day, earned: earned + day.earned, reversed: reversed + day.reversed });
  }
  tx.unawaited(addToDays(tx, inLockOrder(days)));
}

function sumsOf(rows: readonly NewLedgerEntry[]): { earned: number; reversed: number } {
  const sums = { earned: 0, reversed: 0 };
  for (const { kind, amount } of rows) {
    if (kind === 'commission' || kind === 'adjustment') sums.earned += amount;
    else sums.reversed -= amount;
  }
  return sums;
}

/** Makes the entries of a sale due at the end of their hold, because its review was decided. */
export async function endReview(
  tx: Transaction,
  owner: Omit<EntryOwner, 'saleId' | 'isUndecided'> & { saleId: SaleId },
  now: number,
): Promise<void> {
  const { accountId, programId, partnerId, saleId, currency, availableAt } = owner;
  // changes nothing, but makes a payout run wait; entries must not become due while it collects them
  await addToQueuedPayout(
    tx,
    { accountId, programId, partnerId, currency, createdAt: now },
    { amount: 0, entryCount: 0 },
  );
  await makeDue(tx, { saleId, partnerId, currency, availableAt });
  await moveToDueDays(tx, { saleId, partnerId, currency });
}

/** True when the sale has a `commission` entry, of which it has at most one. */
export async function hasCommissionEntry(tx: Transaction, saleId: SaleId): Promise<boolean> {
  return (await findFinalEntries(tx, saleId)).some(({ kind }) => kind === 'commission');
}
