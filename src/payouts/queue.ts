import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { insertQueued, isQueued, type QueuedPayout } from './queries/queued.ts';

/** Makes the partner's queued payout of this currency, unless there is one, which is the rule. */
export async function queuePayout(tx: Transaction, payout: Omit<QueuedPayout, 'id'>): Promise<void> {
  if (await isQueued(tx, payout.partnerId, payout.currency)) return;
  await insertQueued(tx, { id: createId('pay'), ...payout });
}
