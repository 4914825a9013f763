import { ACCESS_TOKEN } from '../../adapters/contract/access-token.ts';
import type { EndpointSecrets, EndpointSettings } from '../../adapters/contract/adapter.ts';
import { declarations } from '../../adapters/settings.ts';
import { requireAllowedApi } from '../app/allowed-address.ts';
import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import { type Page, type PageQuery, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, ProgramId } from '../core/ids.ts';
import type { Processor } from '../core/processor.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { notFound, validationError } from '../errors.ts';
import { createId } from '../ids.ts';
import { findOnlyProgram, requireKeptProgram } from '../programs/programs.ts';
import { mergePatch } from '../schema/merge-patch.ts';
import type { Transaction } from '../storage/database.ts';
import { invalidateEndpoint } from './endpoint-cache.ts';
import { type EndpointInput, parseEndpoint } from './endpoint-fields.ts';
import { DEFAULT_SETTINGS, shownSecrets } from './endpoint-members.ts';
import type { EndpointResource, ShownSecrets } from './endpoint-schemas.ts';
import { changedSecrets, openForChange, openSecrets, sealSecrets } from './endpoint-secrets.ts';
import {
  deleteEndpointRow,
  type Endpoint,
  type EndpointWithTraffic,
  findEndpoint,
  findEndpointOrDeleted,
  findEndpoints,
  insertEndpoint,
  updateEndpoint,
} from './queries/endpoints.ts';
import { deleteRefusals } from './queries/refusals.ts';

/**
 * Creates an endpoint and loads the processor's package, so that a load error appears now rather than at the first
 * delivery.
 *
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the program
 */
export async function createEndpoint(
  service: Service,
  accountId: AccountId,
  { processor, settings, secrets, programId }: EndpointInput,
): Promise<EndpointResource> {
  requireAllowedAddress(service, processor, settings);
  await service.adapterFor(processor);
  const columns = { processor, settings, ...sealSecrets(service.sealer, secrets) };
  const base = { ...columns, id: createId('whe'), accountId, createdAt: service.clock() };
  return service.database.write(async (tx) => {
    const endpoint: Endpoint = { ...base, programId: await keepProgramId(tx, accountId, programId) };
    await insertEndpoint(tx, endpoint);
    const only = await findOnlyProgram(tx, accountId);
    const created = asResource(service, { ...endpoint, lastDeliveryAt: null }, only);
    noteChange(tx, { resourceId: endpoint.id, after: created });
    return created;
  });
}

/** One page of the account's endpoints, newest first, without deleted ones. */
export function listEndpoints(
  service: Service,
  accountId: AccountId,
  page: PageQuery,
): Promise<Page<EndpointResource>> {
  return service.database.report(async (tx) => {
    const only = await findOnlyProgram(tx, accountId);
    const show = (endpoint: EndpointWithTraffic) => asResource(service, endpoint, only);
    return pageOf(page, (bounds) => findEndpoints(tx, accountId, bounds), show);
  });
}

/** @throws ServiceError `NOT_FOUND` */
export async function getEndpoint(service: Service, accountId: AccountId, id: string): Promise<EndpointResource> {
  return service.database.read(async (tx) => {
    const endpoint = await requireEndpoint(tx, accountId, id);
    return asResource(service, endpoint, await findOnlyProgram(tx, accountId));
  });
}

/**
 * The secrets that sign deliveries to this endpoint. For `replay` on the operator's own machine; never sent over HTTP.
 *
 * @throws ServiceError `NOT_FOUND`; Error when the secrets were encrypted with another `SECRET_KEY`
 */
export async function getEndpointSecrets(service: Service, accountId: AccountId, id: string): Promise<EndpointSecrets> {
  return openSecrets(service, await service.database.read((tx) => requireEndpoint(tx, accountId, id)));
}

/**
 * Applies a JSON Merge Patch. `secrets` replaces the whole list; secrets that the patch omits stay, but an access token does
 * not move to another address of the API. The processor cannot change, because it is part of the URL.
 *
 * @throws ServiceError `NOT_FOUND` for the endpoint or program, `VALIDATION_ERROR`; `INVALID_STATE` when another `SECRET_KEY`
 * sealed secrets that the patch does not name
 */
export function changeEndpoint(
  service: Service,
  accountId: AccountId,
  id: string,
  patch: Readonly<Record<string, unknown>>,
): Promise<EndpointResource> {
  const change = service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.endpoint(id)]);
    const endpoint = await requireEndpoint(tx, accountId, id);
    const opened = openForChange(service, endpoint, patch);
    const known = { ...opened, processor: endpoint.processor, programId: endpoint.programId };
    const { secrets, settings, programId, processor } = parseEndpoint(mergePatch(known, patch));
    if (processor !== endpoint.processor) {
      throw validationError([{ path: 'processor', message: 'cannot be changed; create another endpoint' }]);
    }
    if (addressOf(settings) !== addressOf(endpoint.settings)) {
      requireAllowedAddress(service, processor, settings);
      requireTokenFor(secrets, patch);
    }
    const changed = {
      ...endpoint,
      settings,
      ...sealSecrets(service.sealer, secrets),
      programId: await keepProgramId(tx, accountId, programId),
    };
    await updateEndpoint(tx, changed);
    const only = await findOnlyProgram(tx, accountId);
    const after = asResource(service, changed, only);
    const secretMembers = changedSecrets(opened, secrets);
    noteChange(tx, { resourceId: endpoint.id, before: asResource(service, endpoint, only), after, secretMembers });
    return after;
  });
  return change.finally(() => invalidateEndpoint(service, id));
}

/**
 * Deletes an endpoint and its secrets. Its URL answers 404 from then on.
 *
 * @throws ServiceError `NOT_FOUND`, also when it is already deleted
 */
export async function deleteEndpoint(service: Service, accountId: AccountId, id: string): Promise<void> {
  const now = service.clock();
  const deleted = await service.database.write(async (tx) => {
    // a change that was read before would store its secrets again
    await tx.claim(() => [claimKeys.endpoint(id)]);
    const isDeleted = await deleteEndpointRow(tx, accountId, id, now);
    if (isDeleted) {
      await deleteRefusals(tx, accountId, id);
      noteChange(tx, { resourceId: id });
    }
    return isDeleted;
  });
  invalidateEndpoint(service, id);
  if (!deleted) throw notFound('webhook endpoint', id);
}

/** Endpoints that an earlier version stored have no such member. */
function addressOf({ apiUrl }: EndpointSettings): unknown {
  return apiUrl ?? null;
}

/**
 * Whoever may change an endpoint need not know its access token, and could otherwise have it sent to where they can read it.
 *
 * @throws ServiceError `VALIDATION_ERROR` unless the token is given together with its new address, or removed
 */
function requireTokenFor(secrets: EndpointSecrets, patch: Readonly<Record<string, unknown>>): void {
  if ((secrets[ACCESS_TOKEN] ?? null) === null || Object.hasOwn(patch, ACCESS_TOKEN)) return;
  const message = 'must be given again together with another apiUrl, which the stored one would be sent to';
  throw validationError([{ path: ACCESS_TOKEN, message }]);
}

/** @throws ServiceError `VALIDATION_ERROR` for an address of the API that the server's operator has not named */
function requireAllowedAddress(service: Service, processor: Processor, { apiUrl }: EndpointSettings): void {
  if (typeof apiUrl === 'string') requireAllowedApi(service, apiUrl, 'apiUrl', declarations[processor].apiHosts);
}

/** @throws ServiceError `NOT_FOUND` for a program of another account */
async function keepProgramId(tx: Transaction, accountId: AccountId, programId: string | null) {
  return programId === null ? null : (await requireKeptProgram(tx, accountId, programId)).id;
}

/** @throws ServiceError `NOT_FOUND` */
export async function requireEndpoint(tx: Transaction, accountId: AccountId, id: string): Promise<EndpointWithTraffic> {
  const endpoint = await findEndpoint(tx, accountId, id);
  if (endpoint === undefined) throw notFound('webhook endpoint', id);
  return endpoint;
}

/** @throws ServiceError `NOT_FOUND` */
export async function requireEndpointOrDeleted(tx: Transaction, accountId: AccountId, id: string): Promise<Endpoint> {
  const endpoint = await findEndpointOrDeleted(tx, accountId, id);
  if (endpoint === undefined) throw notFound('webhook endpoint', id);
  return endpoint;
}

function asResource(service: Service, endpoint: EndpointWithTraffic, onlyProgram: ProgramId | null): EndpointResource {
  const { id, processor, settings, secretCounts, lastDeliveryAt, createdAt } = endpoint;
  return {
    id,
    programId: endpoint.programId ?? onlyProgram,
    processor,
    // both contain only members that adapters declare as public
    ...(shownSecrets(secretCounts) as ShownSecrets),
    ...DEFAULT_SETTINGS,
    ...settings,
    url: `${service.baseUrl}/webhooks/${processor}/${id}`,
    lastDeliveryAt: isoTimeOrNull(lastDeliveryAt),
    createdAt: isoTime(createdAt),
  };
}
