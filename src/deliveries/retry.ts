import type { Adapter, InterpretSettings } from '../../adapters/contract/adapter.ts';
import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import type { Processor } from '../core/processor.ts';
import { notFound, ServiceError } from '../errors.ts';
import {
  type DeliveryResult,
  getStoredDelivery,
  listDueDeliveries,
  type StoredDelivery,
  updateDelivery,
} from '../inbox/queries/deliveries.ts';
import type { Transaction } from '../storage/database.ts';
import { interpretDelivery } from './interpret.ts';
import { getInterpretSettings } from './queries/endpoint-settings.ts';
import { applyInterpreted, type DeliveryAnswer, failedResult, scopeOf } from './store.ts';

const DUE_PER_ROUND = 20;

/**
 * Processes a stored delivery again, by hand: also one that is dead or was processed before. What it led to already
 * is found again and not doubled; a delivery that became a sale keeps saying so.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when its body was dropped after the retention time
 */
export async function retryDelivery(service: Service, accountId: string, deliveryId: string): Promise<DeliveryAnswer> {
  const stored = await service.database.read((tx) => getStoredDelivery(tx, accountId, deliveryId));
  if (!stored) throw notFound('delivery', deliveryId);
  return processAgain(service, stored, false);
}

/** Processes the deliveries whose next attempt is due; safe in several processes at once. Returns how many it tried. */
export async function retryDueDeliveries(service: Service): Promise<number> {
  const due = await service.database.read((tx) => listDueDeliveries(tx, service.clock(), DUE_PER_ROUND));
  for (const { accountId, id } of due) {
    const stored = await service.database.read((tx) => getStoredDelivery(tx, accountId, id));
    if (stored?.body === null) await giveUp(service, stored);
    else if (stored) await processAgain(service, stored, true);
  }
  return due.length;
}

async function processAgain(service: Service, stored: StoredDelivery, onlyIfDue: boolean): Promise<DeliveryAnswer> {
  if (stored.body === null) {
    throw new ServiceError('INVALID_STATE', `The body of delivery ${stored.id} was dropped after the retention time`);
  }
  const adapter = await service.adapterFor(stored.processor as Processor);
  const settings = await service.database.read((tx) => getInterpretSettings(tx, stored.endpointId));
  return apply(service, adapter, settings, stored, stored.body, onlyIfDue);
}

/** What failed after its body was dropped cannot be tried again, and must not stand in the way of others. */
function giveUp(service: Service, { accountId, id, saleId, attempts }: StoredDelivery): Promise<number> {
  const reason = 'its body was dropped after the retention time, before this attempt';
  const result = { status: 'dead', outcome: 'failed', reason, saleId, attempts, nextAttemptAt: null } as const;
  return service.database.write((tx) => updateDelivery(tx, accountId, id, result));
}

async function apply(
  service: Service,
  adapter: Adapter,
  settings: InterpretSettings,
  stored: StoredDelivery,
  rawBody: Buffer,
  onlyIfDue: boolean,
): Promise<DeliveryAnswer> {
  const now = service.clock();
  const { interpreted } = interpretDelivery(adapter, settings, { rawBody, headers: JSON.parse(stored.headers) });
  const scope = scopeOf(stored, service.parkedDays, now);
  const attempt = (apply: (tx: Transaction, attempts: number) => Promise<DeliveryResult>) =>
    service.database.write(async (tx) => {
      await tx.claim(() => [claimKeys.delivery(stored.id)]);
      const current = await getStoredDelivery(tx, stored.accountId, stored.id);
      if (!current || (onlyIfDue && (current.nextAttemptAt === null || current.nextAttemptAt > now))) {
        return { outcome: current?.outcome ?? 'duplicate', deliveryId: stored.id, reason: 'another process was first' };
      }
      const result = kept(current, await apply(tx, current.attempts + 1));
      await updateDelivery(tx, stored.accountId, stored.id, result);
      return { outcome: result.outcome, deliveryId: stored.id, reason: result.reason };
    });
  try {
    return await attempt((tx, attempts) => applyInterpreted(tx, scope, interpreted, attempts));
  } catch (error) {
    return attempt(async (_tx, attempts) => failedResult(error, now, attempts));
  }
}

/** A delivery goes on saying what it led to, also when another attempt finds all of that there. */
function kept(current: StoredDelivery, result: DeliveryResult): DeliveryResult {
  const isKnown = result.outcome === 'duplicate' || (result.outcome === 'noted' && result.saleId === null);
  if (current.status !== 'processed' || !isKnown) return result;
  const { outcome, reason, saleId } = current;
  return { ...result, outcome, reason, saleId };
}
