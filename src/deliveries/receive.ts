import type { IncomingHttpHeaders } from 'node:http';
import type { DeliveryRequest } from '../../adapters/contract/adapter.ts';
import type { Service } from '../app/service.ts';
import type { DeliveryAnswer } from '../core/delivery.ts';
import { PROCESSORS, type Processor } from '../core/processor.ts';
import { notFound, ServiceError } from '../errors.ts';
import { cachedEndpoint, loadEndpoint } from './endpoint-cache.ts';
import { openSecrets } from './endpoint-secrets.ts';
import type { EndpointWithTraffic } from './queries/endpoints.ts';
import { receiveDelivery } from './verify.ts';

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
  const request = { rawBody, headers };
  const cached = cachedEndpoint(service, endpointId, processor);
  if (cached !== null) {
    try {
      return await deliver(service, cached, request);
    } catch (error) {
      // its secrets may have been changed a moment ago
      if (!isInvalidSignature(error)) throw error;
    }
  }
  const endpoint = await loadEndpoint(service, endpointId, processor);
  if (endpoint === null) throw notFound('webhook endpoint', endpointId);
  try {
    return await deliver(service, endpoint, request);
  } catch (error) {
    throw isInvalidSignature(error) ? refused(error) : error;
  }
}

async function deliver(
  service: Service,
  endpoint: EndpointWithTraffic,
  request: DeliveryRequest,
): Promise<DeliveryAnswer> {
  const secrets = openSecrets(service, endpoint);
  const adapter = await service.adapterFor(endpoint.processor);
  if (secrets.secrets.length === 0 && secrets.authorization === null) throw noSecretYet(endpoint.id);
  return receiveDelivery(service, adapter, endpoint, secrets, request);
}

function isProcessor(name: string): name is Processor {
  return (PROCESSORS as readonly string[]).includes(name);
}

function isInvalidSignature(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'INVALID_SIGNATURE';
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
