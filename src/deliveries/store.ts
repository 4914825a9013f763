import {
  type DeliveryAnswer,
  type DeliveryJob,
  type DeliveryResult,
  type Interpreted,
  LARGE_BODY_BYTES,
  type ReceivedDelivery,
} from '../core/delivery.ts';
import type { EndpointId } from '../core/ids.ts';
import type { FactOutcome } from '../core/outcome.ts';
import { isTemporary, messageOf } from '../errors.ts';
import { storeOnce } from '../inbox/store-once.ts';
import { applyInterpretation, claimsOfInterpretation, erasesSomebody, lookAheadOf } from '../payments/apply-facts.ts';
import type { DeliveryScope } from '../payments/scope.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { applyReadBack } from './read-back.ts';
import { touchTraffic } from './traffic.ts';

/** The backoff after each failed attempt; after the last attempt the delivery is `dead`. */
const BACKOFF_MS = [5, 30, 120, 600, 3600, 21_600, 86_400].map((seconds) => seconds * 1000);

/** More of them, such as the refunds of an order, take milliseconds; a thousand take a tenth of a second. */
const FACTS_MAX = 16;

/** True for a delivery that holds up other requests when the thread that answers them stores it. */
export function takesLong({ received, interpreted: { interpretation } }: DeliveryJob): boolean {
  if (received.body.length > LARGE_BODY_BYTES) return true;
  if (interpretation?.kind !== 'facts') return false;
  return interpretation.facts.length > FACTS_MAX || erasesSomebody(interpretation);
}

/**
 * Stores a delivery once and applies it, in one unit of work. Settles after the commit. An error of ours stores the
 * delivery as `failed`; a database error stores nothing.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function storeDelivery(database: Database, job: DeliveryJob): Promise<DeliveryAnswer> {
  const { received, interpreted, parkedDays, isTouchDue } = job;
  const touch = (tx: Transaction) => {
    if (isTouchDue) touchTraffic(tx, received.endpointId, received.receivedAt);
  };
  const scope = scopeOf(received, parkedDays, received.receivedAt);
  const { interpretation } = interpreted;
  try {
    return await storeOnce(database, {
      received,
      claims: () => (interpretation === null ? [] : claimsOfInterpretation(scope, interpretation)),
      lookAhead: async (tx) => interpretation && lookAheadOf(tx, scope, interpretation),
      alone: interpretation !== null && erasesSomebody(interpretation),
      async apply(tx) {
        const result = await applyInterpreted(tx, scope, interpreted, 1);
        touch(tx);
        return result;
      },
    });
  } catch (error) {
    const failed = failedResult(error, received.receivedAt, 1);
    return storeOnce(database, {
      received,
      claims: () => [],
      lookAhead: async () => undefined,
      alone: false,
      async apply(tx) {
        touch(tx);
        return failed;
      },
    });
  }
}

/** The scope in which a delivery's facts are applied. */
export function scopeOf(
  delivery: Pick<ReceivedDelivery, 'id' | 'accountId' | 'processor' | 'isReadBack'> & { endpointId: EndpointId | null },
  parkedDays: number,
  now: number,
): DeliveryScope {
  const { id: deliveryId, accountId, processor, endpointId, isReadBack } = delivery;
  return { accountId, processor, deliveryId, endpointId, parkedDays, now, ...(isReadBack && { isReadBack }) };
}

/**
 * Applies an interpreted delivery inside the caller's unit of work. An error rolls the unit back. If only some of its facts
 * cannot be applied, the result is a failed attempt, and the others count.
 *
 * @param attempt the number of this attempt, from 1
 * @throws Error with the adapter's failure, if there is one; TooEarly
 */
export async function applyInterpreted(
  tx: Transaction,
  scope: DeliveryScope,
  { interpretation, failure }: Interpreted,
  attempt: number,
): Promise<DeliveryResult> {
  if (failure !== null) throw new Error(failure);
  const apply = scope.isReadBack ? applyReadBack : applyInterpretation;
  return resultOf(await apply(tx, scope, interpretation), scope.now, attempt);
}

/** The result to store for an attempt that was applied. */
export function resultOf({ outcome, reason, saleId }: FactOutcome, now: number, attempt: number): DeliveryResult {
  if (outcome === 'failed') return { ...failedAttempt(reason, now, attempt), saleId };
  return { outcome, reason, saleId, status: 'processed', attempts: attempt, nextAttemptAt: null };
}

/**
 * The result to store for an attempt that failed because of an error of ours and was rolled back; `dead` after the last
 * one.
 *
 * @param attempt the number of this attempt, from 1
 * @throws the error itself when it is a database error, which never makes a delivery `failed`
 */
export function failedResult(error: unknown, now: number, attempt: number): DeliveryResult {
  if (isTemporary(error)) throw error;
  return failedAttempt(messageOf(error), now, attempt);
}

function failedAttempt(reason: string | null, now: number, attempt: number): DeliveryResult {
  const backoffMs = BACKOFF_MS[attempt - 1];
  return {
    status: backoffMs === undefined ? 'dead' : 'failed',
    outcome: 'failed',
    reason,
    saleId: null,
    attempts: attempt,
    nextAttemptAt: backoffMs === undefined ? null : now + backoffMs,
  };
}
