import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { DeliveryAnswer, DeliveryResult, Interpreted } from '../core/delivery.ts';
import type { AccountId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import { attemptAgain, dueDeliveries, getStoredDelivery, markDead, type StoredDelivery } from '../inbox/attempts.ts';
import type { DeliveryScope } from '../payments/scope.ts';
import type { Transaction } from '../storage/database.ts';
import { readInTurn } from './interpret.ts';
import { getInterpreting } from './queries/endpoints.ts';
import { TooEarly, withoutTooEarly } from './read-back.ts';
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
  return attempt(service, { stored, scope, interpreted, dueAt: onlyIfDue ? now : null });
}

interface Attempt {
  stored: StoredDelivery;
  scope: DeliveryScope;
  interpreted: Interpreted;
  /** See `attemptAgain`. */
  dueAt: number | null;
}

async function attempt(service: Service, again: Attempt): Promise<DeliveryAnswer> {
  const { stored, scope, interpreted, dueAt } = again;
  const { now } = scope;
  const end = (apply: (tx: Transaction, attempts: number) => Promise<DeliveryResult>) =>
    attemptAgain(service.database, stored, { now, dueAt }, (tx, attempts) => {
      noteChange(tx, { resourceId: stored.id });
      return apply(tx, attempts);
    });
  try {
    return await end((tx, attempts) => applyInterpreted(tx, scope, interpreted, attempts));
  } catch (error) {
    const { interpretation } = interpreted;
    if (!(error instanceof TooEarly) || interpretation === null) {
      return end(async (_tx, attempts) => failedResult(error, now, attempts));
    }
    const rest = { interpretation: withoutTooEarly(interpretation), failure: null };
    return attempt(service, { ...again, interpreted: rest });
  }
}
