import type { Outcome } from '../core/facts.ts';
import { ServiceError } from '../errors.ts';
import { type DeliveryResult, insertDelivery, isKnownDelivery, type NewDelivery } from '../inbox/queries/deliveries.ts';
import { applyInterpretation } from '../payments/apply-facts.ts';
import type { DeliveryScope } from '../payments/receive-payment.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { type Interpreted, messageOf } from './interpret.ts';
import { touchEndpoint } from './queries/endpoints.ts';

/** A verified and interpreted delivery that is to be stored. Plain data: it may be copied to another thread. */
export interface DeliveryJob {
  received: Omit<NewDelivery, keyof DeliveryResult>;
  interpreted: Interpreted;
  /** How long a payment waits for its customer. */
  parkedDays: number;
  /** Whether to note on the endpoint that it is in use. */
  isTrafficNews: boolean;
}

/** What the processor is told, and what the logs say. */
export interface DeliveryAnswer {
  outcome: Outcome;
  /** Null for one that was known: nothing was stored under a new id. */
  deliveryId: string | null;
  reason: string | null;
}

const KNOWN: DeliveryAnswer = { outcome: 'duplicate', deliveryId: null, reason: 'this delivery is known' };

/** Waits before the next attempt of a delivery that failed through us; after the last it is `dead`. */
const BACKOFF_MS = [5, 30, 120, 600, 3600, 21_600, 86_400].map((seconds) => seconds * 1000);

/**
 * Stores a delivery once and applies it, in one unit of work. Settles after the commit. An error of ours keeps the
 * delivery as `failed`; an error of the database keeps nothing.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function storeDelivery(database: Database, job: DeliveryJob): Promise<DeliveryAnswer> {
  const { received, interpreted, parkedDays } = job;
  const scope = scopeOf(received, parkedDays, received.receivedAt);
  try {
    return await storeOnce(database, job, (tx) => applyInterpreted(tx, scope, interpreted, 1));
  } catch (error) {
    const failed = failedResult(error, received.receivedAt, 1);
    return storeOnce(database, job, async () => failed);
  }
}

/** The scope of a delivery, for what its facts do. */
export function scopeOf(
  delivery: Pick<NewDelivery, 'id' | 'accountId' | 'processor'>,
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

/** Another process stored the same delivery while this unit was at work on it: what this one did is taken back. */
class StoredMeanwhile extends Error {}

/**
 * Stores a delivery that was not seen before, with what `apply` made of it; one that was seen changes nothing. Written
 * once and last, because its row is by far the largest; that it is the only one is the unique index's word.
 */
async function storeOnce(
  database: Database,
  { received, isTrafficNews }: DeliveryJob,
  apply: (tx: Transaction) => Promise<DeliveryResult>,
): Promise<DeliveryAnswer> {
  const { id, endpointId, deliveryKey, receivedAt } = received;
  try {
    return await database.write(async (tx) => {
      if (await isKnownDelivery(tx, endpointId, deliveryKey)) return KNOWN;
      const result = await apply(tx);
      if (!(await insertDelivery(tx, { ...received, ...result }))) throw new StoredMeanwhile();
      if (isTrafficNews) await touchEndpoint(tx, endpointId, receivedAt);
      return { outcome: result.outcome, deliveryId: id, reason: result.reason };
    });
  } catch (error) {
    if (error instanceof StoredMeanwhile) return KNOWN;
    throw error;
  }
}
