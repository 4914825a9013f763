import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { DeliveryAnswer } from '../core/delivery.ts';
import type { AccountId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import { attemptAgain, dueDeliveries, getStoredDelivery, markDead, type StoredDelivery } from '../inbox/attempts.ts';
import { readInTurn } from './interpret.ts';
import { getInterpreting } from './queries/endpoints.ts';
import { applyInterpreted, failedResult, scopeOf } from './store.ts';

const DUE_PER_ROUND = 20;

/**
 * Processes a stored delivery again on request, even a dead or processed one. Idempotent: nothing counts twice, and a
 * delivery that became a sale keeps that outcome.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when its body was deleted
 */
export async function retryDelivery(
  service: Service,
  accountId: AccountId,
  deliveryId: string,
): Promise<DeliveryAnswer> {
  return processAgain(service, await getStoredDelivery(service.database, accountId, deliveryId), false);
}

/**
 * Processes the deliveries whose next attempt is due. Several processes may do so at once. Returns the number of
 * attempts.
 */
export async function retryDueDeliveries(service: Service): Promise<number> {
  let attemptCount = 0;
  for await (const stored of dueDeliveries(service.database, service.clock(), DUE_PER_ROUND)) {
    if (stored.body === null) await markDead(service.database, stored, service.clock());
    else await processAgain(service, stored, true);
    attemptCount += 1;
  }
  return attemptCount;
}

async function processAgain(service: Service, stored: StoredDelivery, onlyIfDue: boolean): Promise<DeliveryAnswer> {
  const { body: rawBody, headers } = stored;
  if (rawBody === null) {
    throw new ServiceError(
      'INVALID_STATE',
      `The body of delivery ${stored.id} was deleted, after the retention time or with somebody's personal data`,
    );
  }
  const adapter = await service.adapterFor(stored.processor);
  const endpoint = await service.database.read((tx) => getInterpreting(tx, stored.endpointId));
  const unread = { rawBody, headers, processor: stored.processor, ...endpoint, verification: null };
  const { interpreted } = await readInTurn(service, adapter, unread);
  const now = service.clock();
  const scope = scopeOf(stored, service.parkedDays, now);
  const times = { now, dueAt: onlyIfDue ? now : null };
  try {
    return await attemptAgain(service.database, stored, times, (tx, attempts) => {
      noteChange(tx, { resourceId: stored.id });
      return applyInterpreted(tx, scope, interpreted, attempts);
    });
  } catch (error) {
    return attemptAgain(service.database, stored, times, async (tx, attempts) => {
      noteChange(tx, { resourceId: stored.id });
      return failedResult(error, now, attempts);
    });
  }
}
