import type { Adapter, InterpretSettings } from '../../adapters/contract/adapter.ts';
import type { Service } from '../app/service.ts';
import type { DeliveryAnswer } from '../core/delivery.ts';
import type { Processor } from '../core/processor.ts';
import { ServiceError } from '../errors.ts';
import { attemptAgain, dueDeliveries, getStoredDelivery, giveUp, type StoredDelivery } from '../inbox/attempts.ts';
import { interpretDelivery } from './interpret.ts';
import { getInterpretSettings } from './queries/endpoint-settings.ts';
import { applyInterpreted, failedResult, scopeOf } from './store.ts';

const DUE_PER_ROUND = 20;

/**
 * Processes a stored delivery again, by hand: also one that is dead or was processed before. What it led to already
 * is found again and not doubled; a delivery that became a sale keeps saying so.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when its body was dropped after the retention time
 */
export async function retryDelivery(service: Service, accountId: string, deliveryId: string): Promise<DeliveryAnswer> {
  return processAgain(service, await getStoredDelivery(service.database, accountId, deliveryId), false);
}

/** Processes the deliveries whose next attempt is due; safe in several processes at once. Returns how many it tried. */
export async function retryDueDeliveries(service: Service): Promise<number> {
  let triedCount = 0;
  for await (const stored of dueDeliveries(service.database, service.clock(), DUE_PER_ROUND)) {
    if (stored.body === null) await giveUp(service.database, stored);
    else await processAgain(service, stored, true);
    triedCount += 1;
  }
  return triedCount;
}

async function processAgain(service: Service, stored: StoredDelivery, onlyIfDue: boolean): Promise<DeliveryAnswer> {
  if (stored.body === null) {
    throw new ServiceError('INVALID_STATE', `The body of delivery ${stored.id} was dropped after the retention time`);
  }
  const adapter = await service.adapterFor(stored.processor as Processor);
  const settings = await service.database.read((tx) => getInterpretSettings(tx, stored.endpointId));
  const { interpreted } = interpretStored(adapter, settings, stored, stored.body);
  const now = service.clock();
  const scope = scopeOf(stored, service.parkedDays, now);
  const dueAt = onlyIfDue ? now : null;
  try {
    return await attemptAgain(service.database, stored, dueAt, (tx, attempts) =>
      applyInterpreted(tx, scope, interpreted, attempts),
    );
  } catch (error) {
    return attemptAgain(service.database, stored, dueAt, async (_tx, attempts) => failedResult(error, now, attempts));
  }
}

function interpretStored(adapter: Adapter, settings: InterpretSettings, { headers }: StoredDelivery, rawBody: Buffer) {
  return interpretDelivery(adapter, settings, { rawBody, headers: JSON.parse(headers) });
}
