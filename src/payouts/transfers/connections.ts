import { requireAllowedApi } from '../../app/allowed-address.ts';
import { claimKeys } from '../../app/claims.ts';
import { noteChange } from '../../app/noted-changes.ts';
import type { Service } from '../../app/service.ts';
import { type Actor, actorName } from '../../core/actor.ts';
import type { AccountId } from '../../core/ids.ts';
import { isoTime } from '../../core/time.ts';
import { notFound, ServiceError, validationError } from '../../errors.ts';
import { createId } from '../../ids.ts';
import type { TransferRailName } from '../../rails/contract/rail.ts';
import type { TransferAccess } from '../../rails/contract/transfer.ts';
import { RAIL_FORMS } from '../../rails/forms.ts';
import { RAIL_NAMES, RAILS, TRANSFER_RAILS } from '../../rails/index.ts';
import type { Transaction } from '../../storage/database.ts';
import { findSending } from '../queries/owned-transfers.ts';
import {
  deleteConnection,
  findConnection,
  findConnections,
  putConnection,
  type RailConnection,
} from '../queries/rail-connections.ts';
import type { RailConnectionInput, RailList, RailResource } from './schemas.ts';

/** Every rail, and what each that sends money is connected with. */
export async function listRails({ database }: Service, accountId: AccountId): Promise<RailList> {
  const connections = await database.read((tx) => findConnections(tx, accountId));
  const resource = (rail: (typeof RAIL_NAMES)[number]): RailResource => {
    const connection = connections.find((one) => one.rail === rail);
    return { rail, kind: RAILS[rail].kind, connection: connection ? asConnection(connection) : null };
  };
  return { data: RAIL_NAMES.map(resource), nextCursor: null };
}

/**
 * Stores the secret key with which payouts are sent, once the provider has accepted it. A key of the same account at the
 * provider may replace another at any time.
 *
 * @throws ServiceError `NOT_FOUND` for a rail that sends nothing; `VALIDATION_ERROR` for a key that the provider refuses, or an
 *   address that the server's operator has not named; `INVALID_STATE` for a key of another account, or of another mode, while
 *   payouts are being sent; `UNAVAILABLE`
 */
export async function connectRail(
  service: Service,
  { accountId, actor }: { accountId: AccountId; actor: Actor },
  name: string,
  { secretKey: given, apiUrl }: RailConnectionInput,
): Promise<RailResource> {
  const rail = requireTransferRail(name);
  const { secretKey: schema, apiHosts, isLive, client } = TRANSFER_RAILS[rail];
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw validationError([{ path: 'secretKey', message: parsed.error.issues[0]?.message ?? '' }]);
  const secretKey = parsed.data;
  requireAllowedApi(service, apiUrl, 'apiUrl', apiHosts);
  const platform = await (await client()).platformOf(accessOf({ secretKey, apiUrl }));
  const connection: RailConnection = {
    id: createId('rcn'),
    accountId,
    rail,
    platformId: platform.id,
    platformName: platform.name,
    isLive: isLive(secretKey) ? 1 : 0,
    apiUrl,
    sealedSecrets: service.sealer.seal(JSON.stringify({ secretKey })),
    createdAt: service.clock(),
    createdBy: actorName(actor),
  };
  return service.database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.rail(accountId, rail)]);
      const before = await findConnection(tx, accountId, rail);
      if (before !== undefined && !isSamePlatform(before, connection)) await requireNothingSent(tx, before);
      const stored = before === undefined ? connection : { ...connection, id: before.id };
      await putConnection(tx, stored);
      const change = { resourceId: stored.id, after: asConnection(stored), secretMembers: ['secretKey'] };
      noteChange(tx, before === undefined ? change : { ...change, before: asConnection(before) });
      return { rail, kind: 'transfer', connection: asConnection(stored) };
    },
    { alone: true },
  );
}

/**
 * Forgets the secret key.
 *
 * @throws ServiceError `NOT_FOUND` without a connection; `INVALID_STATE` while payouts are being sent
 */
export async function disconnectRail(service: Service, accountId: AccountId, name: string): Promise<void> {
  const rail = requireTransferRail(name);
  await service.database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.rail(accountId, rail)]);
      const before = await findConnection(tx, accountId, rail);
      if (before === undefined) throw notFound('connection of the rail', rail);
      await requireNothingSent(tx, before);
      await deleteConnection(tx, accountId, rail);
      noteChange(tx, { resourceId: before.id, before: asConnection(before) });
    },
    { alone: true },
  );
}

/**
 * The connection, and what the provider's API is called with.
 *
 * @throws ServiceError `INVALID_STATE` without a connection, or if its key cannot be decrypted
 */
export async function requireConnection(
  service: Service,
  accountId: AccountId,
  rail: TransferRailName,
): Promise<{ connection: RailConnection; access: TransferAccess }> {
  const connection = await service.database.read((tx) => findConnection(tx, accountId, rail));
  if (connection === undefined) {
    const message = `Connect ${RAIL_FORMS[rail].title} first (in the API: PUT /api/rails/${rail}/connection)`;
    throw new ServiceError('INVALID_STATE', message);
  }
  return { connection, access: openAccess(service, connection) };
}

/** The same, of a connection that was read. */
export function openAccess(service: Service, { rail, apiUrl, sealedSecrets }: RailConnection): TransferAccess {
  requireAllowedApi(service, apiUrl, 'apiUrl', TRANSFER_RAILS[rail].apiHosts);
  try {
    const { secretKey } = JSON.parse(service.sealer.open(sealedSecrets)) as { secretKey: string };
    return accessOf({ secretKey, apiUrl });
  } catch {
    const message = `Another SECRET_KEY encrypted the key of ${RAIL_FORMS[rail].title}: add that one to SECRET_KEY_FALLBACKS, or connect again`;
    throw new ServiceError('INVALID_STATE', message);
  }
}

/** Longer than a client allows a request. */
const REQUESTS_MS_MAX = 30_000;

function accessOf({ secretKey, apiUrl }: { secretKey: string; apiUrl: string | null }): TransferAccess {
  return { secretKey, apiUrl, fetch: globalThis.fetch, signal: AbortSignal.timeout(REQUESTS_MS_MAX) };
}

/** True if a payment that the one has ordered can be found with the other. */
export function isSamePlatform(
  one: Pick<RailConnection, 'platformId' | 'isLive'>,
  other: Pick<RailConnection, 'platformId' | 'isLive'>,
): boolean {
  return one.platformId === other.platformId && one.isLive === other.isLive;
}

async function requireNothingSent(tx: Transaction, { accountId, rail }: RailConnection): Promise<void> {
  const sending = (await findSending(tx, accountId)).find((payout) => payout.rail === rail);
  if (sending === undefined) return;
  const message = `Payout ${sending.id} is being sent by ${RAIL_FORMS[rail].title}: wait until it is paid, failed or held`;
  throw new ServiceError('INVALID_STATE', message);
}

/** @throws ServiceError `NOT_FOUND` for a rail that makes files, or none */
function requireTransferRail(name: string): TransferRailName {
  if (Object.hasOwn(TRANSFER_RAILS, name)) return name as TransferRailName;
  throw notFound('rail that sends payouts', name);
}

function asConnection({ platformId, platformName, isLive, apiUrl, createdAt, createdBy }: RailConnection) {
  const mode: 'live' | 'test' = isLive === 1 ? 'live' : 'test';
  return { platformId, platformName, mode, apiUrl, createdAt: isoTime(createdAt), createdBy };
}
