import type { AccountId, EntryId, PayoutId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import {
  type EntryToPay,
  findEntryToPay,
  insertPaid,
  type PayoutElsewhere,
  payEntry,
} from './queries/paid-elsewhere.ts';
import { addToQueued } from './queries/queued.ts';

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

/** An entry that another service has paid, and the payout in which it did. */
export interface PaidElsewhere {
  accountId: AccountId;
  payoutId: PayoutId;
  entryId: EntryId;
  partnerId: string;
  currency: string;
}

/**
 * Moves an open entry into a payout that was made elsewhere, so that no run here pays it again. Happens at the end of
 * the unit of work, after the unit's own entries are added. The unit must run alone.
 *
 * @throws ServiceError `INVALID_STATE` when the entry is not open, because a payout here contains it or its sale waits
 *   for a review; the unit fails with it at its end when a payout takes the entry in the meantime
 */
export async function payElsewhere(tx: Transaction, paid: PaidElsewhere): Promise<void> {
  const { isOpen } = await getEntryToPay(tx, paid);
  // a dry run does not reach the end of the unit
  if (isOpen === 0) throw notOpen(paid.entryId);
  // sorts after the ledger's sums, which queue the payout that the entry leaves
  tx.last(`${paid.partnerId} ${paid.currency} paid`, payEntries, paid);
}

async function payEntries(tx: Transaction, entries: readonly PaidElsewhere[]): Promise<void> {
  for (const paid of entries) {
    const entry = await getEntryToPay(tx, paid);
    // locks the queued payout first, so that no run collects the entry in the meantime
    await addToQueued(tx, entry, { amount: -entry.amount, entryCount: -1 });
    if ((await payEntry(tx, paid)) === 0) throw notOpen(paid.entryId);
  }
}

async function getEntryToPay(tx: Transaction, { accountId, entryId }: PaidElsewhere): Promise<EntryToPay> {
  const entry = await findEntryToPay(tx, accountId, entryId);
  if (entry === undefined) throw new Error(`Entry ${entryId} is missing`);
  return entry;
}

function notOpen(entryId: EntryId): ServiceError {
  const remedy = 'correct what was paid twice with an adjustment, or decide the review of its sale';
  return new ServiceError(
    'INVALID_STATE',
    `The entry ${entryId} is not open, so it cannot be marked as paid: ${remedy}`,
  );
}
