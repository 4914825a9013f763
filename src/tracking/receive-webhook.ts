import type { IncomingHttpHeaders } from 'node:http';
import { PROCESSORS, type Processor } from '../core/processor.ts';
import { notFound, ServiceError } from '../errors.ts';
import { findEndpointForDelivery } from '../storage/queries/endpoints.ts';
import { type DeliveryAnswer, receiveDelivery } from './delivery.ts';
import { openSecrets } from './endpoint-secrets.ts';
import type { Service } from './service.ts';

/**
 * A request to `/webhooks/:processor/:endpointId`: finds the endpoint and its adapter, then the delivery goes its way.
 *
 * @throws ServiceError `NOT_FOUND` for an endpoint that is not there (any more) or is another processor's;
 * `INVALID_SIGNATURE`, whose cause says why for the log; `UNAVAILABLE`
 */
export async function receiveWebhook(
  service: Service,
  processor: string,
  endpointId: string,
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
): Promise<DeliveryAnswer> {
  if (!isProcessor(processor)) throw notFound('webhook endpoint', endpointId);
  const endpoint = await service.database.read((tx) => findEndpointForDelivery(tx, endpointId, processor));
  if (!endpoint) throw notFound('webhook endpoint', endpointId);
  const secrets = openSecrets(service.sealer, endpoint);
  const adapter = await service.adapterFor(processor);
  const { acceptTestEvents, countStores, countPaymentIntents } = endpoint;
  const settings = { acceptTestEvents, countStores, countPaymentIntents };
  const target = { id: endpoint.id, accountId: endpoint.accountId, settings };
  try {
    if (secrets.secrets.length === 0 && secrets.authorization === null) throw noSecretYet(endpoint.id);
    return await receiveDelivery(service, adapter, target, secrets, { rawBody, headers });
  } catch (error) {
    throw error instanceof ServiceError && error.code === 'INVALID_SIGNATURE' ? refused(error) : error;
  }
}

function isProcessor(name: string): name is Processor {
  return (PROCESSORS as readonly string[]).includes(name);
}

function noSecretYet(endpointId: string): ServiceError {
  return new ServiceError(
    'INVALID_SIGNATURE',
    `Endpoint ${endpointId} has no secret yet: set the one that the processor's dashboard shows for this URL`,
  );
}

/** The sender learns nothing of what was wrong; the operator reads the cause in the log. */
function refused(cause: ServiceError): ServiceError {
  return new ServiceError('INVALID_SIGNATURE', 'The signature of this delivery could not be verified', { cause });
}
