import type { DeliveryAnswer, DeliveryJob, DeliveryResult, Interpreted, ReceivedDelivery } from '../core/delivery.ts';
import { ServiceError } from '../errors.ts';
import { storeOnce } from '../inbox/store-once.ts';
import { applyInterpretation } from '../payments/apply-facts.ts';
import type { DeliveryScope } from '../payments/receive-payment.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { messageOf } from './interpret.ts';
import { noteTraffic } from './traffic.ts';

/** Waits before the next attempt of a delivery that failed through us; after the last it is `dead`. */
const BACKOFF_MS = [5, 30, 120, 600, 3600, 21_600, 86_400].map((seconds) => seconds * 1000);

/**
 * Stores a delivery once and applies it, in one unit of work. Settles after the commit. An error of ours keeps the
 * delivery as `failed`; an error of the database keeps nothing.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function storeDelivery(database: Database, job: DeliveryJob): Promise<DeliveryAnswer> {
  const { received, interpreted, parkedDays, isTrafficNews } = job;
  const note = async (tx: Transaction) => {
    if (isTrafficNews) await noteTraffic(tx, received.endpointId, received.receivedAt);
  };
  const scope = scopeOf(received, parkedDays, received.receivedAt);
  try {
    return await storeOnce(database, received, async (tx) => {
      const result = await applyInterpreted(tx, scope, interpreted, 1);
      await note(tx);
      return result;
    });
  } catch (error) {
    const failed = failedResult(error, received.receivedAt, 1);
    return storeOnce(database, received, async (tx) => {
      await note(tx);
      return failed;
    });
  }
}

/** The scope of a delivery, for what its facts do. */
export function scopeOf(
  delivery: Pick<ReceivedDelivery, 'id' | 'accountId' | 'processor'>,
  parkedDays: number,
  now: number,
): DeliveryScope {
  const { accountId, processor } = delivery;
  return { accountId, processor, deliveryId: delivery.id, parkedDays, now };
}

/**
 * Applies an interpreted delivery inside the caller's unit of work; an error takes the unit back.
 *
 * @param attempt how many times this delivery has been tried, this one included
 * @throws Error with the adapter's failure where there is one
 */
export async function applyInterpreted(
  tx: Transaction,
  scope: DeliveryScope,
  { interpretation, failure }: Interpreted,
  attempt: number,
): Promise<DeliveryResult> {
  if (failure !== null) throw new Error(failure);
  const { outcome, reason, saleId } = await applyInterpretation(tx, scope, interpretation);
  return { outcome, reason, saleId, status: 'processed', attempts: attempt, nextAttemptAt: null };
}

/**
 * What is kept of an attempt that failed through us; nothing of what it did was. After the last attempt: `dead`.
 *
 * @param attempt how many times this delivery has been tried, this one included
 * @throws the error itself when it is the database's: that never makes a delivery `failed`
 */
export function failedResult(error: unknown, now: number, attempt: number): DeliveryResult {
  if (error instanceof ServiceError && error.code === 'UNAVAILABLE') throw error;
  const wait = BACKOFF_MS[attempt - 1];
  return {
    status: wait === undefined ? 'dead' : 'failed',
    outcome: 'failed',
    reason: messageOf(error),
    saleId: null,
    attempts: attempt,
    nextAttemptAt: wait === undefined ? null : now + wait,
  };
}
