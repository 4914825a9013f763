import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { insertQueued, isQueued, type QueuedPayout } from './queries/queued.ts';

/** Ensures that the partner has a queued payout in this currency; usually there is one. */
export async function queuePayout(tx: Transaction, payout: Omit<QueuedPayout, 'id'>): Promise<void> {
  if (await isQueued(tx, payout.partnerId, payout.currency)) return;
  await insertQueued(tx, { id: createId('pay'), ...payout });
}
