import { claimKeys } from '../app/claims.ts';
import type { DeliveryAnswer, DeliveryResult } from '../core/delivery.ts';
import { notFound } from '../errors.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { findDueDeliveries, findStoredDelivery, type StoredDelivery, updateDelivery } from './queries/deliveries.ts';

export type { StoredDelivery } from './queries/deliveries.ts';

/**
 * A delivery as it was stored, for another attempt.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export async function getStoredDelivery(
  database: Database,
  accountId: string,
  deliveryId: string,
): Promise<StoredDelivery> {
  const stored = await database.read((tx) => findStoredDelivery(tx, accountId, deliveryId));
  if (!stored) throw notFound('delivery', deliveryId);
  return stored;
}

/** Deliveries whose next attempt is due at `now`, of whichever account, the longest overdue first. */
export async function* dueDeliveries(database: Database, now: number, limit: number): AsyncGenerator<StoredDelivery> {
  // one by one, because their bodies are large
  for (const { accountId, id } of await database.read((tx) => findDueDeliveries(tx, now, limit))) {
    yield await getStoredDelivery(database, accountId, id);
  }
}

/**
 * Another attempt of a stored delivery, in one unit of work. Attempts of one delivery wait for each other; a delivery
 * that became a sale keeps saying so, also when this attempt finds everything there.
 *
 * @param dueAt epoch milliseconds: the attempt is left to whoever made the one that was due then; null always makes it
 * @param apply what to make of it; gets the number of attempts, this one included
 */
export function attemptAgain(
  database: Database,
  { id, accountId }: StoredDelivery,
  dueAt: number | null,
  apply: (tx: Transaction, attempts: number) => Promise<DeliveryResult>,
): Promise<DeliveryAnswer> {
  return database.write(async (tx) => {
    await tx.claim(() => [claimKeys.delivery(id)]);
    const current = await findStoredDelivery(tx, accountId, id);
    if (!current || (dueAt !== null && !isDue(current, dueAt))) {
      return { outcome: current?.outcome ?? 'duplicate', deliveryId: id, reason: 'another process was first' };
    }
    const result = withEarlierOutcome(current, await apply(tx, current.attempts + 1));
    await updateDelivery(tx, accountId, id, result);
    return { outcome: result.outcome, deliveryId: id, reason: result.reason };
  });
}

/** What failed after its body was dropped cannot be tried again, and must not stand in the way of others. */
export async function giveUp(database: Database, { accountId, id, saleId, attempts }: StoredDelivery): Promise<void> {
  const reason = 'its body was dropped after the retention time, before this attempt';
  const result = { status: 'dead', outcome: 'failed', reason, saleId, attempts, nextAttemptAt: null } as const;
  await database.write((tx) => updateDelivery(tx, accountId, id, result));
}

function isDue({ nextAttemptAt }: StoredDelivery, dueAt: number): boolean {
  return nextAttemptAt !== null && nextAttemptAt <= dueAt;
}

function withEarlierOutcome(current: StoredDelivery, result: DeliveryResult): DeliveryResult {
  const isKnown = result.outcome === 'duplicate' || (result.outcome === 'noted' && result.saleId === null);
  if (current.status !== 'processed' || !isKnown) return result;
  const { outcome, reason, saleId } = current;
  return { ...result, outcome, reason, saleId };
}
