import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { addToQueued, type PayoutSum, putQueued, type QueuedPayout } from './queries/queued.ts';

/**
 * Adds entries to the partner's queued payout in this currency; queues one if there is none. Until the unit ends, no other
 * unit can add to it or start it.
 */
export async function addToQueuedPayout(
  tx: Transaction,
  payout: Omit<QueuedPayout, 'id'>,
  added: PayoutSum,
): Promise<void> {
  if ((await addToQueued(tx, payout, added)) === 0) await queuePayout(tx, payout, added);
}

/** Queues a payout, or adds to one that another unit has just queued. */
export async function queuePayout(
  tx: Transaction,
  payout: Omit<QueuedPayout, 'id'>,
  { amount, entryCount }: PayoutSum,
): Promise<void> {
  await putQueued(tx, { id: createId('pay'), ...payout, amount, entryCount });
}
