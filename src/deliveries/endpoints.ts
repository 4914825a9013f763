import type { EndpointSecrets } from '../../adapters/contract/adapter.ts';
import { claimKeys } from '../app/claims.ts';
import { parseInput } from '../app/fields.ts';
import { mergePatch } from '../app/merge-patch.ts';
import { type Page, pageInput, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { notFound, validationError } from '../errors.ts';
import { createId } from '../ids.ts';
import { resolveProgram } from '../programs/programs.ts';
import type { Transaction } from '../storage/database.ts';
import { invalidateEndpoint } from './endpoint-cache.ts';
import { endpointInput } from './endpoint-fields.ts';
import { openSecrets, sealSecrets } from './endpoint-secrets.ts';
import {
  deleteEndpoint as deleteEndpointRow,
  type Endpoint,
  type EndpointWithTraffic,
  findEndpoint,
  findEndpoints,
  insertEndpoint,
  updateEndpoint,
} from './queries/endpoints.ts';

const endpointPageInput = pageInput('whe');

/** A webhook endpoint as it is answered: of its secrets only how many there are. */
export type EndpointResource = Omit<
  EndpointWithTraffic,
  'accountId' | 'sealedSecrets' | 'createdAt' | 'lastDeliveryAt'
> & {
  /** What is entered in the processor's dashboard. */
  url: string;
  lastDeliveryAt: string | null;
  createdAt: string;
};

/**
 * Also loads the processor's package, so that one that cannot be loaded shows now and not with the first delivery.
 *
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the program
 */
export async function createEndpoint(service: Service, accountId: string, body: unknown): Promise<EndpointResource> {
  const { secrets, authorization, programId, ...input } = parseInput(endpointInput, body);
  await service.adapterFor(input.processor);
  const columns = { ...input, ...sealSecrets(service.sealer, { secrets, authorization }) };
  const base = { ...columns, id: createId('whe'), accountId, createdAt: service.clock() };
  const endpoint = await service.database.write(async (tx): Promise<Endpoint> => {
    const created = { ...base, programId: await resolveProgram(tx, accountId, programId) };
    await insertEndpoint(tx, created);
    return created;
  });
  return asResource(service, { ...endpoint, lastDeliveryAt: null });
}

/** The newest first, without those that were deleted. */
export function listEndpoints(service: Service, accountId: string, query: unknown): Promise<Page<EndpointResource>> {
  const page = parseInput(endpointPageInput, query);
  const show = (endpoint: EndpointWithTraffic) => asResource(service, endpoint);
  return service.database.read((tx) => pageOf(page, (bounds) => findEndpoints(tx, accountId, bounds), show));
}

/** @throws ServiceError `NOT_FOUND` */
export async function getEndpoint(service: Service, accountId: string, id: string): Promise<EndpointResource> {
  return asResource(service, await service.database.read((tx) => requireEndpoint(tx, accountId, id)));
}

/**
 * What signs deliveries to this endpoint: for `replay` on the operator's own machine, never over HTTP.
 *
 * @throws ServiceError `NOT_FOUND`; Error when the secrets were sealed with another `SECRET_KEY`
 */
export async function getEndpointSecrets(service: Service, accountId: string, id: string): Promise<EndpointSecrets> {
  return openSecrets(service, await service.database.read((tx) => requireEndpoint(tx, accountId, id)));
}

/**
 * A JSON Merge Patch. `secrets` replaces the whole list; what is not named of secrets and authorization stays. The
 * processor stays what it is, because it is part of the URL.
 *
 * @throws ServiceError `NOT_FOUND` for the endpoint or program, `VALIDATION_ERROR`
 */
export function changeEndpoint(
  service: Service,
  accountId: string,
  id: string,
  patch: unknown,
): Promise<EndpointResource> {
  const change = service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.endpoint(id)]);
    const endpoint = await requireEndpoint(tx, accountId, id);
    const known = { ...endpoint, ...openSecrets(service, endpoint) };
    const { secrets, authorization, programId, ...input } = parseInput(endpointInput, mergePatch(known, patch));
    if (input.processor !== endpoint.processor) {
      throw validationError([{ path: 'processor', message: 'cannot be changed; create another endpoint' }]);
    }
    const changed = {
      ...endpoint,
      ...input,
      ...sealSecrets(service.sealer, { secrets, authorization }),
      programId: programId === null ? endpoint.programId : await resolveProgram(tx, accountId, programId),
    };
    await updateEndpoint(tx, changed);
    return asResource(service, changed);
  });
  return change.finally(() => invalidateEndpoint(service, id));
}

/**
 * From now on deliveries to its URL are 404, and its secrets are forgotten.
 *
 * @throws ServiceError `NOT_FOUND`, also when it was deleted before
 */
export async function deleteEndpoint(service: Service, accountId: string, id: string): Promise<void> {
  const now = service.clock();
  const deleted = await service.database.write((tx) => deleteEndpointRow(tx, accountId, id, now));
  invalidateEndpoint(service, id);
  if (!deleted) throw notFound('webhook endpoint', id);
}

async function requireEndpoint(tx: Transaction, accountId: string, id: string): Promise<EndpointWithTraffic> {
  const endpoint = await findEndpoint(tx, accountId, id);
  if (endpoint === undefined) throw notFound('webhook endpoint', id);
  return endpoint;
}

function asResource(service: Service, endpoint: EndpointWithTraffic): EndpointResource {
  const { accountId: _account, sealedSecrets: _sealed, lastDeliveryAt, createdAt, ...shown } = endpoint;
  return {
    ...shown,
    url: `${service.baseUrl}/webhooks/${endpoint.processor}/${endpoint.id}`,
    lastDeliveryAt: isoTimeOrNull(lastDeliveryAt),
    createdAt: isoTime(createdAt),
  };
}
