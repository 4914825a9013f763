import type { EntryId, PayoutId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import {
  addPaidEntry,
  findEntryToPay,
  insertPaid,
  type PayoutElsewhere,
  takeOpenEntry,
} from './queries/paid-elsewhere.ts';
import { addToQueuedLast, type QueuedPayout } from './queue.ts';

export { correctPaidAt } from './queries/paid-elsewhere.ts';

/**
 * Records a payout that another service made, inside a unit of work. The payout has no entries yet. No event is
 * recorded.
 */
export async function addPaidPayout(tx: Transaction, payout: Omit<PayoutElsewhere, 'id'>): Promise<PayoutId> {
  const id = createId('pay');
  await insertPaid(tx, { id, ...payout });
  return id;
}

/** An entry that another service has paid, the payout in which it did, and the queued payout that the entry leaves. */
export interface PaidElsewhere extends Omit<QueuedPayout, 'id'> {
  payoutId: PayoutId;
  entryId: EntryId;
}

/** Sorts after the ledger's daily sums, which change with the payout, and before the daily results. */
const LAST_KEY = 'paid elsewhere';

/**
 * Moves an open entry into a payout that was made elsewhere, so that no run here pays it again. Happens at the end of
 * the unit of work, after the unit's own entries are added. The unit must run alone.
 *
 * @throws ServiceError `INVALID_STATE` when the entry is not open, because a payout here contains it or its sale waits
 *   for a review; the unit fails with it at its end when a payout takes the entry in the meantime
 */
export async function payElsewhere(
  tx: Transaction,
  { payoutId, entryId, accountId, ...queued }: PaidElsewhere,
): Promise<void> {
  const entry = await findEntryToPay(tx, accountId, entryId);
  if (entry === undefined) throw new Error(`Entry ${entryId} is missing`);
  // a dry run does not reach the end of the unit
  if (entry.isOpen === 0) throw notOpen(entryId);
  // locks the queued payout before the entry is moved, so that no run collects it in the meantime
  addToQueuedLast(tx, { accountId, ...queued, amount: -entry.amount, entryCount: -1 });
  tx.last(LAST_KEY, payEntries, { accountId, payoutId, entryId });
}

async function payEntries(
  tx: Transaction,
  entries: readonly Pick<PaidElsewhere, 'accountId' | 'payoutId' | 'entryId'>[],
): Promise<void> {
  const taken = await Promise.all(entries.map((entry) => takeOpenEntry(tx, entry)));
  const missing = entries[taken.indexOf(0)];
  if (missing !== undefined) throw notOpen(missing.entryId);
  await Promise.all(entries.map((entry) => addPaidEntry(tx, entry)));
}

function notOpen(entryId: EntryId): ServiceError {
  const remedy = 'correct what was paid twice with an adjustment, or decide the review of its sale';
  return new ServiceError(
    'INVALID_STATE',
    `The entry ${entryId} is not open, so it cannot be marked as paid: ${remedy}`,
  );
}
