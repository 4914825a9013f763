import type { PayoutId } from '../core/ids.ts';
import { isWanted } from '../events/subscriptions.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { recordPayoutEvent } from './payout-events.ts';
import { addToQueued, type PayoutSum, putQueued, type QueuedPayout } from './queries/queued.ts';

export type { PayoutSum, QueuedPayout } from './queries/queued.ts';
export { hasQueued } from './queries/queued.ts';

/** Sorts before the ledger's daily sums and the daily results: units that lock several of these lock payouts first. */
const LAST_KEY = 'due payouts';

type AddedToQueued = Omit<QueuedPayout, 'id'> & PayoutSum;

/**
 * Adds to the partner's queued payout in this currency at the end of the unit of work, because other units wait for its
 * row. A negative sum takes entries out. The payout is queued if there is none.
 */
export function addToQueuedLast(tx: Transaction, added: AddedToQueued): void {
  tx.last(LAST_KEY, addAllToQueued, added);
}

async function addAllToQueued(tx: Transaction, added: readonly AddedToQueued[]): Promise<void> {
  const payouts = new Map<string, AddedToQueued>();
  for (const payout of added) {
    const key = `${payout.partnerId} ${payout.currency}`;
    const { amount, entryCount, ...queued } = payouts.get(key) ?? { ...payout, amount: 0, entryCount: 0 };
    payouts.set(key, { ...queued, amount: amount + payout.amount, entryCount: entryCount + payout.entryCount });
  }
  const put = inLockOrder(payouts).map(asNewPayout);
  const queued = putQueued(tx, put);
  tx.unawaited(queued);
  if (await isAnyWanted(tx, added)) await recordQueued(tx, put, await queued);
}

async function isAnyWanted(tx: Transaction, added: readonly AddedToQueued[]): Promise<boolean> {
  const accounts = new Set(added.map(({ accountId }) => accountId));
  const wanted = await Promise.all([...accounts].map((accountId) => isWanted(tx, accountId, 'payout.queued')));
  return wanted.includes(true);
}

/** Sorted by key, so that all units lock these rows in one order. */
export function inLockOrder<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/**
 * Adds entries to the partner's queued payout in this currency, and queues a payout if there is none. Until the unit
 * ends, no other unit can add to that payout or start it.
 */
export async function addToQueuedPayout(
  tx: Transaction,
  payout: Omit<QueuedPayout, 'id'>,
  added: PayoutSum,
): Promise<void> {
  if ((await addToQueued(tx, payout, added)) === 0) await queuePayout(tx, payout, added);
}

/** Like `addToQueuedPayout`, in one statement. */
export async function queuePayout(tx: Transaction, payout: Omit<QueuedPayout, 'id'>, added: PayoutSum): Promise<void> {
  const put = [asNewPayout({ ...payout, ...added })];
  await recordQueued(tx, put, await putQueued(tx, put));
}

function asNewPayout(payout: AddedToQueued) {
  return { ...payout, id: createId('pay'), status: 'queued' };
}

/** Records events for the payouts that are new: others were added to one that was queued before. */
async function recordQueued(
  tx: Transaction,
  put: readonly QueuedPayout[],
  queued: readonly { id: PayoutId }[],
): Promise<void> {
  const ids = new Set(queued.map(({ id }) => id));
  for (const { id, accountId, createdAt: occurredAt } of put) {
    if (!ids.has(id)) continue;
    await recordPayoutEvent(tx, 'payout.queued', { accountId, id, occurredAt });
  }
}
