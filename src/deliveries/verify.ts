import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Adapter, DeliveryRequest, EndpointSecrets, SignedDelivery } from '../../adapters/contract/adapter.ts';
import type { Service } from '../app/service.ts';
import type { DeliveryAnswer, ReceivedDelivery } from '../core/delivery.ts';
import { createId } from '../ids.ts';
import { interpretDelivery } from './interpret.ts';
import type { EndpointWithTraffic } from './queries/endpoints.ts';
import { isTouchDue } from './traffic.ts';

/** A request to an endpoint, with everything needed to verify and read it. */
export interface IncomingDelivery {
  request: DeliveryRequest;
  endpoint: EndpointWithTraffic;
  /** The endpoint's decrypted secrets and its settings. */
  secrets: EndpointSecrets;
  /** The adapter of the endpoint's processor. */
  adapter: Adapter;
}

/**
 * Verifies, reads and interprets a delivery, then stores it once and applies it in one unit of work. Settles after the
 * commit. An error of ours stores the delivery as `failed`; a database error stores nothing.
 *
 * @throws ServiceError `INVALID_SIGNATURE`; `UNAVAILABLE`
 */
export async function receiveDelivery(service: Service, incoming: IncomingDelivery): Promise<DeliveryAnswer> {
  const { request, endpoint, secrets, adapter } = incoming;
  const now = service.clock();
  await adapter.verify(request, secrets, now);
  const { signed, interpreted } = interpretDelivery(adapter, endpoint, request);
  return service.storeDelivery({
    received: receivedDelivery(incoming, signed, now),
    interpreted,
    parkedDays: service.parkedDays,
    isTouchDue: isTouchDue(endpoint, now),
  });
}

function receivedDelivery(
  { request, endpoint, adapter }: IncomingDelivery,
  signed: SignedDelivery,
  now: number,
): ReceivedDelivery {
  return {
    id: createId('dlv'),
    accountId: endpoint.accountId,
    endpointId: endpoint.id,
    processor: adapter.processor,
    deliveryKey: signed.deliveryKey ?? createHash('sha256').update(request.rawBody).digest('hex'),
    eventType: signed.eventType,
    receivedAt: now,
    headers: JSON.stringify(keptHeaders(adapter, request.headers)),
    body: request.rawBody,
  };
}

function keptHeaders(adapter: Adapter, headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const name of ['content-type', 'user-agent', ...adapter.keptHeaders]) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
