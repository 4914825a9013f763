import { claimKeys } from '../app/claims.ts';
import type { DeliveryAnswer, DeliveryResult } from '../core/delivery.ts';
import type { AccountId } from '../core/ids.ts';
import type { Outcome } from '../core/outcome.ts';
import { DAY_MS } from '../core/time.ts';
import { notFound } from '../errors.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { recordFailure } from './failure-event.ts';
import {
  findDeliveryResult,
  findDueDeliveries,
  findStoredDelivery,
  lockDeliveryResult,
  type StoredDelivery,
  updateDelivery,
} from './queries/deliveries.ts';
import { rewindCursor } from './queries/retention.ts';

export type { StoredDelivery } from './queries/deliveries.ts';

/**
 * Reads a stored delivery for another attempt.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export async function getStoredDelivery(
  database: Database,
  accountId: AccountId,
  deliveryId: string,
): Promise<StoredDelivery> {
  const stored = await database.read((tx) => findStoredDelivery(tx, accountId, deliveryId));
  if (!stored) throw notFound('delivery', deliveryId);
  return stored;
}

/** Twice the longest pause: only a clock that was ahead for a moment sets an attempt later than this. */
const FAR_MS = 2 * DAY_MS;

/** Deliveries of any account whose next attempt is due at `now`, longest overdue first, or farther ahead than it can be. */
export async function* dueDeliveries(database: Database, now: number, limit: number): AsyncGenerator<StoredDelivery> {
  // one by one, because their bodies are large
  for (const { accountId, id } of await database.read((tx) =>
    findDueDeliveries(tx, { now, far: now + FAR_MS, limit }),
  )) {
    yield await getStoredDelivery(database, accountId, id);
  }
}

/**
 * Attempts a stored delivery again, in one unit of work. Attempts of the same delivery wait for each other. A delivery
 * that became a sale keeps that outcome, even when this attempt finds only duplicates, or would ignore it.
 *
 * @param times `dueAt`: skips the attempt if none is due any more at this time (epoch milliseconds); null always
 * attempts
 * @param apply applies the delivery; receives the number of this attempt, from 1
 */
export function attemptAgain(
  database: Database,
  { id, accountId }: StoredDelivery,
  { now, dueAt }: { now: number; dueAt: number | null },
  apply: (tx: Transaction, attempts: number) => Promise<DeliveryResult>,
): Promise<DeliveryAnswer> {
  return database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.delivery(id)]);
      const before = await findDeliveryResult(tx, accountId, id);
      if (!before || (dueAt !== null && !isDue(before, dueAt))) {
        return {
          outcome: before?.outcome ?? 'duplicate',
          deliveryId: id,
          reason: 'another process has already retried it',
        };
      }
      const applied = await apply(tx, before.attempts + 1);
      // a unit that sells its payment at this moment may say so in the delivery. It claims the payment first, as `apply` does
      const current = (await lockDeliveryResult(tx, accountId, id)) ?? before;
      const result = withEarlierOutcome(current, applied);
      // The deletion of old bodies skips failed deliveries.
      if (result.status === 'processed') await rewindCursor(tx, accountId, id);
      await updateDelivery(tx, accountId, id, result);
      // an event for the first and the last failure, not for each attempt in between
      if (result.status === 'dead' || (result.status === 'failed' && current.status === 'processed')) {
        await recordFailure(tx, { accountId, deliveryId: id, now });
      }
      return { outcome: result.outcome, deliveryId: id, reason: result.reason };
    },
    { alone: true },
  );
}

/** A failed delivery without its body can never succeed, and must not block the retries of other deliveries. */
export async function markDead(
  database: Database,
  { accountId, id, saleId, attempts }: StoredDelivery,
  now: number,
): Promise<void> {
  const reason = 'its body was deleted after the retention time, before this attempt';
  const result = { status: 'dead', outcome: 'failed', reason, saleId, attempts, nextAttemptAt: null } as const;
  await database.write(async (tx) => {
    await updateDelivery(tx, accountId, id, result);
    await recordFailure(tx, { accountId, deliveryId: id, now });
  });
}

function isDue({ nextAttemptAt }: DeliveryResult, dueAt: number): boolean {
  return nextAttemptAt !== null && (nextAttemptAt <= dueAt || nextAttemptAt > dueAt + FAR_MS);
}

/**
 * What a delivery did stays done when an attempt finds it known, fails, or would ignore it now, as after a change of its
 * endpoint's settings. Erasing a person finds the delivery by its sale, which it keeps whatever comes later.
 */
function withEarlierOutcome(current: DeliveryResult, result: DeliveryResult): DeliveryResult {
  const { outcome, reason, saleId } = current;
  const didNothing = current.status !== 'processed' || isDisregarded(outcome);
  const changesNothing =
    isDisregarded(result.outcome) ||
    result.outcome === 'duplicate' ||
    (result.outcome === 'noted' && result.saleId === null);
  if (!didNothing && changesNothing) return { ...result, outcome, reason, saleId };
  return { ...result, saleId: result.saleId ?? saleId };
}

function isDisregarded(outcome: Outcome): boolean {
  return outcome === 'ignored' || outcome === 'unknown';
}
