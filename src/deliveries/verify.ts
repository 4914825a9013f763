import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Adapter, DeliveryRequest, EndpointSecrets, SignedDelivery } from '../../adapters/contract/adapter.ts';
import type { Service } from '../app/service.ts';
import type { DeliveryAnswer, ReceivedDelivery } from '../core/delivery.ts';
import { createId } from '../ids.ts';
import { interpretDelivery } from './interpret.ts';
import type { EndpointWithTraffic } from './queries/endpoints.ts';
import { isTrafficNews } from './traffic.ts';

/**
 * The way of a webhook (design, section 2): verified, read and interpreted, then stored once and applied in one unit of
 * work. Settles after the commit. An error of ours keeps the delivery as `failed`; an error of the database keeps nothing.
 *
 * @throws ServiceError `INVALID_SIGNATURE`; `UNAVAILABLE`
 */
export async function receiveDelivery(
  service: Service,
  adapter: Adapter,
  endpoint: EndpointWithTraffic,
  secrets: EndpointSecrets,
  request: DeliveryRequest,
): Promise<DeliveryAnswer> {
  const now = service.clock();
  await adapter.verify(request, secrets, now);
  const { signed, interpreted } = interpretDelivery(adapter, endpoint, request);
  return service.storeDelivery({
    received: receivedDelivery(adapter, endpoint, request, signed, now),
    interpreted,
    parkedDays: service.parkedDays,
    isTrafficNews: isTrafficNews(endpoint, now),
  });
}

function receivedDelivery(
  adapter: Adapter,
  endpoint: EndpointWithTraffic,
  request: DeliveryRequest,
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
