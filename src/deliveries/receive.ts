import type { DeliveryRequest } from '../../adapters/contract/adapter.ts';
import type { Service } from '../app/service.ts';
import type { DeliveryAnswer } from '../core/delivery.ts';
import type { EndpointId } from '../core/ids.ts';
import { PROCESSORS, type Processor } from '../core/processor.ts';
import { notFound, ServiceError } from '../errors.ts';
import { cachedEndpoint, loadEndpoint } from './endpoint-cache.ts';
import { hasSecrets, openSecrets } from './endpoint-secrets.ts';
import { readInTurn } from './interpret.ts';
import { jobOf } from './job.ts';
import type { EndpointWithTraffic } from './queries/endpoints.ts';
import { noteRefusal } from './refusals.ts';
import { isTouchDue } from './traffic.ts';

/** A request to `/webhooks/:processor/:endpointId`. */
export interface WebhookRequest extends DeliveryRequest {
  processor: string;
  endpointId: string;
}

/** What createId makes. Anything else is the id of nothing, so it needs no query. */
const ID = /^\w+$/;

/**
 * Requires that the endpoint exists, so that nobody can make the server hold bodies without knowing one.
 *
 * @throws ServiceError `NOT_FOUND`, `UNAVAILABLE`
 */
export async function requireReceiver(
  service: Service,
  { processor, endpointId }: Pick<WebhookRequest, 'processor' | 'endpointId'>,
): Promise<void> {
  if (isProcessor(processor) && ID.test(endpointId)) {
    if (cachedEndpoint(service, endpointId, processor) !== null) return;
    if ((await loadEndpoint(service, endpointId, processor)) !== null) return;
  }
  throw notFound('webhook endpoint', endpointId);
}

/**
 * Finds the endpoint and the adapter of a webhook request, then verifies and stores the delivery.
 *
 * @throws ServiceError `NOT_FOUND` for an endpoint that does not exist, was deleted or belongs to another processor;
 * `INVALID_SIGNATURE`, whose cause tells the operator why; `UNAVAILABLE`
 */
export async function receiveWebhook(
  service: Service,
  { processor, endpointId, rawBody, headers }: WebhookRequest,
): Promise<DeliveryAnswer> {
  if (!isProcessor(processor)) throw notFound('webhook endpoint', endpointId);
  const request = { rawBody, headers };
  const cached = cachedEndpoint(service, endpointId, processor);
  if (cached !== null) {
    try {
      return await verifyAndStore(service, cached, request);
    } catch (error) {
      // the cached secrets may be outdated
      if (!isInvalidSignature(error)) throw error;
    }
  }
  const endpoint = await loadEndpoint(service, endpointId, processor);
  if (endpoint === null) throw notFound('webhook endpoint', endpointId);
  try {
    return await verifyAndStore(service, endpoint, request);
  } catch (error) {
    if (!isInvalidSignature(error)) throw error;
    noteRefusal(service, endpoint, request, error.message);
    throw withoutDetails(error);
  }
}

/**
 * Verifies, reads and interprets a delivery, then stores it once and applies it in one unit of work. Settles after the
 * commit. An error of ours stores the delivery as `failed`; a database error stores nothing.
 *
 * @throws ServiceError `INVALID_SIGNATURE`; `UNAVAILABLE`
 */
async function verifyAndStore(
  service: Service,
  endpoint: EndpointWithTraffic,
  request: DeliveryRequest,
): Promise<DeliveryAnswer> {
  const secrets = openSecrets(service, endpoint);
  const adapter = await service.adapterFor(endpoint.processor);
  if (!hasSecrets(endpoint)) throw noSecretSet(endpoint.id);
  const now = service.clock();
  const { processor, settings, programId } = endpoint;
  const unread = { ...request, processor, settings, programId, verification: { secrets, now } };
  const read = await readInTurn(service, adapter, unread);
  const job = jobOf(service, { adapter, endpoint, request, now }, read);
  return service.storeDelivery({ ...job, isTouchDue: isTouchDue(endpoint, now) });
}

function isProcessor(name: string): name is Processor {
  return (PROCESSORS as readonly string[]).includes(name);
}

/** True when no secret of the endpoint verifies the delivery. */
export function isInvalidSignature(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'INVALID_SIGNATURE';
}

function noSecretSet(endpointId: EndpointId): ServiceError {
  return new ServiceError(
    'INVALID_SIGNATURE',
    `Endpoint ${endpointId} has no secret yet: give it the same secret as its webhook in the processor's dashboard`,
  );
}

/** Hides the details from the sender. The operator finds the cause in the log and among the endpoint's refusals. */
function withoutDetails(cause: ServiceError): ServiceError {
  return new ServiceError('INVALID_SIGNATURE', 'The signature of this delivery could not be verified', { cause });
}
