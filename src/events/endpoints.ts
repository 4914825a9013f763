import { setTimeout as sleep } from 'node:timers/promises';
import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import { type Page, type PageQuery, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import { createId } from '../ids.ts';
import { applyPatch, type MergePatch } from '../schema/merge-patch.ts';
import type { Transaction } from '../storage/database.ts';
import { refusalOf } from './address.ts';
import { asEventEndpoint, columnsOf } from './endpoint-columns.ts';
import {
  deleteEventEndpointRow,
  type EventEndpoint,
  type EventEndpointState,
  findEventEndpoint,
  findEventEndpoints,
  insertEventEndpoint,
  updateEventEndpoint,
} from './queries/endpoints.ts';
import { hurry } from './queries/sending.ts';
import {
  type EventEndpointInput,
  type EventEndpointResource,
  type EventEndpointWithSecret,
  eventEndpointInput,
} from './schemas.ts';
import { createEventSecret, readableEventSecrets, rotated, sealEventSecrets } from './secrets.ts';
import { KNOWN_MS } from './subscriptions.ts';

/** Limited because each event is stored once per endpoint, in the unit of work that causes it. */
const ENDPOINTS_MAX = 20;

/**
 * Creates an endpoint, and returns once every process knows about it, so that no later event is missed.
 *
 * @throws ServiceError `VALIDATION_ERROR` for a URL that events may not be sent to; `CONFLICT` when the account has the
 * maximum number of endpoints
 */
export async function createEventEndpoint(
  service: Service,
  accountId: AccountId,
  input: EventEndpointInput,
): Promise<EventEndpointWithSecret> {
  requireAllowed(service, input.url);
  const secret = createEventSecret();
  const now = service.clock();
  const endpoint: EventEndpoint = {
    id: createId('evp'),
    accountId,
    kind: 'webhook',
    ...columnsOf(input, null, now),
    sealedSecrets: sealEventSecrets(service.sealer, [{ secret, until: null }]),
    createdAt: now,
  };
  const created = asEventEndpoint({ ...endpoint, failingSince: null, lastSuccessAt: null });
  await service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.eventEndpoints(accountId)]);
    const existing = await findEventEndpoints(tx, accountId, { limit: ENDPOINTS_MAX, beforeId: 'evp_z' });
    if (existing.length >= ENDPOINTS_MAX) {
      throw new ServiceError('CONFLICT', `An account has at most ${ENDPOINTS_MAX} event endpoints; delete one first`);
    }
    await insertEventEndpoint(tx, endpoint, approvalsAfter(input));
    noteChange(tx, { resourceId: endpoint.id, after: created });
  });
  await untilKnown();
  return { ...created, secret };
}

/** One page of the account's endpoints, newest first, without deleted ones. */
export function listEventEndpoints(
  { database }: Service,
  accountId: AccountId,
  page: PageQuery,
): Promise<Page<EventEndpointResource>> {
  return database.report((tx) => pageOf(page, (bounds) => findEventEndpoints(tx, accountId, bounds), asEventEndpoint));
}

/** @throws ServiceError `NOT_FOUND` */
export async function getEventEndpoint(
  { database }: Service,
  accountId: AccountId,
  id: string,
): Promise<EventEndpointResource> {
  return asEventEndpoint(await database.read((tx) => requireEventEndpoint(tx, accountId, id)));
}

/**
 * Applies a JSON Merge Patch. An endpoint that is enabled again, or gets another URL, immediately receives the events that
 * wait for it.
 *
 * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR`; `INVALID_STATE` when it would be enabled without a secret
 */
export async function changeEventEndpoint(
  service: Service,
  accountId: AccountId,
  id: string,
  patch: MergePatch<EventEndpointInput>,
): Promise<EventEndpointResource> {
  const now = service.clock();
  const changed = await service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.eventEndpoint(id)]);
    const endpoint = await requireEventEndpoint(tx, accountId, id);
    const before = asEventEndpoint(endpoint);
    const input = applyPatch(eventEndpointInput, before, patch);
    // if the URL stays, the other members may change even when the URL would no longer be allowed
    if (input.url !== endpoint.url) requireAllowed(service, input.url);
    if (input.enabled && !before.enabled) requireReadableSecrets(service, endpoint);
    const after = { ...endpoint, ...columnsOf(input, endpoint, now) };
    const startsAnew = input.enabled && (!before.enabled || input.url !== endpoint.url);
    if (startsAnew) after.failingSince = null;
    const isNewlyWanted = !before.enabled || !before.types.includes('sale.approved');
    const approvals = isNewlyWanted ? approvalsAfter(input) : null;
    await updateEventEndpoint(tx, after, { approvalsAfter: approvals, newSecrets: null });
    if (startsAnew) await hurry(tx, endpoint.id, now, 0);
    const shown = asEventEndpoint(after);
    noteChange(tx, { resourceId: id, before, after: shown });
    return shown;
  });
  await untilKnown();
  return changed;
}

/**
 * Deletes an endpoint and its secrets. What waits for it, or was sent to it, is hidden, and is deleted with the events.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export async function deleteEventEndpoint({ database }: Service, accountId: AccountId, id: string): Promise<void> {
  await database.write(async (tx) => {
    await tx.claim(() => [claimKeys.eventEndpoint(id)]);
    await requireEventEndpoint(tx, accountId, id);
    await deleteEventEndpointRow(tx, accountId, id);
    noteChange(tx, { resourceId: id });
  });
}

/**
 * Gives the endpoint a new secret. The one before it signs as well for another day, so that no event is refused meanwhile;
 * one that another `SECRET_KEY` sealed is lost.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export function rotateEventSecret(
  service: Service,
  accountId: AccountId,
  id: string,
): Promise<EventEndpointWithSecret> {
  const { database, sealer, clock } = service;
  const secret = createEventSecret();
  return database.write(async (tx) => {
    await tx.claim(() => [claimKeys.eventEndpoint(id)]);
    const endpoint = await requireEventEndpoint(tx, accountId, id);
    const secrets = rotated(readableEventSecrets(sealer, endpoint.sealedSecrets) ?? [], secret, clock());
    const newSecrets = sealEventSecrets(sealer, secrets);
    await updateEventEndpoint(tx, endpoint, { approvalsAfter: null, newSecrets });
    noteChange(tx, { resourceId: id, secretMembers: ['secret'] });
    return { ...asEventEndpoint(endpoint), secret };
  });
}

/**
 * How many endpoints the account has, those that are disabled or fail, and those whose secrets cannot be decrypted, or
 * were left out by an import.
 */
export async function troubledEndpoints({ database, sealer }: Service, accountId: AccountId) {
  const page = { limit: ENDPOINTS_MAX + 1, beforeId: 'evp_z' };
  const all = await database.report((tx) => findEventEndpoints(tx, accountId, page));
  const shown = all.map(asEventEndpoint);
  return {
    count: all.length,
    troubled: shown.filter(({ enabled, failingSince }) => !enabled || failingSince !== null),
    unreadable: all
      .filter(({ sealedSecrets }) => readableEventSecrets(sealer, sealedSecrets) === null)
      .map((endpoint) => ({ ...asEventEndpoint(endpoint), isLeftOut: endpoint.sealedSecrets === null })),
  };
}

/** @throws ServiceError `NOT_FOUND` */
export async function requireEventEndpoint(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<EventEndpointState> {
  const endpoint = await findEventEndpoint(tx, accountId, id);
  if (!endpoint) throw notFound('event endpoint', id);
  return endpoint;
}

/** Without a secret, nothing is sent, and events would wait until they are deleted. */
function requireReadableSecrets({ sealer }: Service, { id, sealedSecrets }: EventEndpointState): void {
  if (readableEventSecrets(sealer, sealedSecrets) !== null) return;
  throw new ServiceError(
    'INVALID_STATE',
    `Nothing can be signed for ${id}: an import left its secret out, or another SECRET_KEY encrypted it; rotate it first`,
  );
}

/** Waits until no thread or process still relies on what it read before the change. */
export async function untilKnown(): Promise<void> {
  await sleep(KNOWN_MS);
}

/** Returns '' when the sales on hold must be scheduled because the endpoint receives their approvals. */
function approvalsAfter({ types, enabled }: EventEndpointInput): string | null {
  return enabled && types.includes('sale.approved') ? '' : null;
}

function requireAllowed({ events }: Service, url: string): void {
  const refusal = refusalOf(new URL(url), events.allowedHosts);
  if (refusal !== null) throw validationError([{ path: 'url', message: refusal }]);
}
