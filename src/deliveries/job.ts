import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Adapter, DeliveryRequest } from '../../adapters/contract/adapter.ts';
import { isBackfillKey } from '../../adapters/contract/backfill.ts';
import type { Service } from '../app/service.ts';
import type { DeliveryJob, InterpretedDelivery } from '../core/delivery.ts';
import { createId } from '../ids.ts';
import { readInTurn } from './interpret.ts';
import type { Endpoint } from './queries/endpoints.ts';

interface Source {
  adapter: Adapter;
  endpoint: Endpoint;
  request: DeliveryRequest;
  /** Epoch milliseconds. */
  now: number;
}

/** The job that stores a delivery to this endpoint. */
export function jobOf(
  { parkedDays }: Pick<Service, 'parkedDays'>,
  { adapter, endpoint, request: { rawBody, headers }, now }: Source,
  { deliveryKey, eventType, interpreted }: InterpretedDelivery,
): DeliveryJob {
  return {
    received: {
      id: createId('dlv'),
      accountId: endpoint.accountId,
      endpointId: endpoint.id,
      processor: endpoint.processor,
      deliveryKey: deliveryKey ?? createHash('sha256').update(rawBody).digest('hex'),
      eventType,
      receivedAt: now,
      headers: JSON.stringify(keptHeaders(adapter, headers)),
      body: rawBody,
    },
    interpreted,
    parkedDays,
    isTouchDue: false,
  };
}

/** A delivery that was made of what a processor's API returned. */
export interface BackfilledJob extends DeliveryJob {
  /** True when the processor may have sent a delivery that says the same under another key. */
  isRecord: boolean;
}

/**
 * Reads a delivery that an adapter made of what the processor's API returned, and that nobody has signed.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function readBackfilled(service: Service, source: Omit<Source, 'now'>): Promise<BackfilledJob> {
  const { adapter, endpoint, request } = source;
  const { processor, settings, programId } = endpoint;
  const unread = { ...request, processor, settings, programId, verification: null };
  const job = jobOf(service, { ...source, now: service.clock() }, await readInTurn(service, adapter, unread));
  // the API does not write a body as it was sent, so that its digest differs
  const isRecord = adapter.keyIn === 'digest' || isBackfillKey(job.received.deliveryKey);
  return { ...job, received: { ...job.received, isReadBack: true }, isRecord };
}

function keptHeaders(adapter: Adapter, headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const name of ['content-type', 'user-agent', ...adapter.keptHeaders]) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
