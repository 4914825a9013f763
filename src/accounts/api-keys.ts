import { bearerTokenHash, createBearerToken, isBearerToken } from '../app/bearer-token.ts';
import { BoundedCache } from '../app/bounded-cache.ts';
import { noteChange } from '../app/noted-changes.ts';
import { type Page, type PageQuery, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { ApiKeyScope } from '../core/api-key-scope.ts';
import type { AccountId, ApiKeyId } from '../core/ids.ts';
import { hasRole, type OperatorRole } from '../core/operator.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { notFound, ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import {
  type ApiKeyRow,
  findActiveApiKey,
  findApiKey,
  findApiKeys,
  insertApiKey,
  revokeApiKeyRow,
  touchApiKey,
} from './queries/api-keys.ts';
import { beginLockOut } from './queries/lock-outs.ts';
import type { ApiKey, ApiKeyInput, CreatedApiKey } from './schemas.ts';

/** The number of characters of a key that are still shown after its creation. */
const PREFIX_CHARACTERS = 12;
const TOUCH_INTERVAL_MS = 60_000;
const RECENT_TOUCHES_MAX = 10_000;
const KNOWN_IDS_MAX = 10_000;
const KNOWN_ID_MAX_AGE_MS = 3_600_000;

/** The API key of a request. */
export interface ApiKeyIdentity {
  keyId: ApiKeyId;
  accountId: AccountId;
  name: string;
  rateLimitPerMinute: number | null;
  scope: ApiKeyScope;
}

/** Creates a key inside a unit of work. Only this result contains the key in plain text. */
export async function addApiKey(
  tx: Transaction,
  accountId: AccountId,
  input: ApiKeyInput,
  now: number,
): Promise<CreatedApiKey> {
  const key = createBearerToken('rb_live_');
  const row: ApiKeyRow = {
    id: createId('key'),
    account_id: accountId,
    name: input.name,
    hash: bearerTokenHash(key),
    prefix: key.slice(0, PREFIX_CHARACTERS),
    last_four: key.slice(-4),
    rate_limit_per_minute: input.rateLimitPerMinute,
    scope: input.scope,
    created_at: now,
    last_used_at: null,
    revoked_at: null,
  };
  await insertApiKey(tx, row);
  noteChange(tx, { resourceId: row.id, after: asApiKey(row) });
  return { ...asApiKey(row), key };
}

/** Who creates or revokes keys; without `role`, a key or the command line. */
interface KeyAdmin {
  accountId: AccountId;
  role?: OperatorRole;
}

/**
 * Creates another key for the account.
 *
 * @throws ServiceError `FORBIDDEN` when only owners may create it
 */
export async function createApiKey(
  service: Service,
  { accountId, role }: KeyAdmin,
  input: ApiKeyInput,
): Promise<CreatedApiKey> {
  if (input.scope === 'full' && !mayManageFull(role)) {
    const message = 'Only owners make keys with the scope full, which may do everything: choose track or read';
    throw new ServiceError('FORBIDDEN', message);
  }
  const now = service.clock();
  return service.database.write((tx) => addApiKey(tx, accountId, input, now));
}

/** The account's keys, including revoked ones, newest first. */
export async function listApiKeys(service: Service, accountId: AccountId, page: PageQuery): Promise<Page<ApiKey>> {
  return service.database.report((tx) => pageOf(page, (bounds) => findApiKeys(tx, accountId, bounds), asApiKey));
}

/**
 * Revokes a key permanently, in every process at once. Idempotent.
 *
 * @throws ServiceError `NOT_FOUND` when this account has no such key; `FORBIDDEN` when only owners may revoke it
 */
export async function revokeApiKey(service: Service, { accountId, role }: KeyAdmin, id: string): Promise<void> {
  const now = service.clock();
  await service.database.write(async (tx) => {
    const key = await findApiKey(tx, accountId, id);
    if (key === undefined) throw notFound('API key', id);
    if (key.scope === 'full' && !mayManageFull(role)) {
      throw new ServiceError('FORBIDDEN', 'Only owners revoke keys with the scope full: ask one of them');
    }
    await beginLockOut(tx, id);
    if (!(await revokeApiKeyRow(tx, accountId, id, now))) return;
    noteChange(tx, { resourceId: id, before: { revokedAt: null }, after: { revokedAt: isoTime(now) } });
  });
}

function mayManageFull(role: OperatorRole | undefined): boolean {
  return role === undefined || hasRole(role, 'owner');
}

/** The hash under which an API key is stored; null for anything but a well-formed key. */
export function apiKeyHash(token: string): string | null {
  return isBearerToken('rb_live_', token) ? bearerTokenHash(token) : null;
}

/**
 * The identity of the API key with this hash; null unless the key is active. Whether a key is active is never cached,
 * so that a revocation takes effect with its commit.
 */
export async function findApiKeyIdentity(service: Service, hash: string): Promise<ApiKeyIdentity | null> {
  const row = await service.database.read((tx) => findActiveApiKey(tx, hash));
  if (row === undefined) return null;
  service.state(createKnownIds).set(hash, row.id);
  recordUse(service, row);
  const { id: keyId, account_id: accountId, name, rate_limit_per_minute: rateLimitPerMinute, scope } = row;
  return { keyId, accountId, name, rateLimitPerMinute, scope };
}

/** The ids of known keys, by the hash of the key. An id does not imply that its key is still active. */
const createKnownIds = ({ clock }: Service) =>
  new BoundedCache<string, ApiKeyId>({ entriesMax: KNOWN_IDS_MAX, maxAgeMs: KNOWN_ID_MAX_AGE_MS, clock });

/** The id of the key with this hash, if this process has seen it before. */
export function knownApiKeyId(service: Service, hash: string): ApiKeyId | undefined {
  return service.state(createKnownIds).get(hash);
}

/**
 * Keys whose use was recorded within the last minute. A burst, or a failing database, thus costs one write per minute.
 */
const createRecentTouches = ({ clock }: Service) =>
  new BoundedCache<ApiKeyId, true>({ entriesMax: RECENT_TOUCHES_MAX, maxAgeMs: TOUCH_INTERVAL_MS, clock });

/** Not awaited: recording the last use is not worth delaying or refusing a request. */
function recordUse(service: Service, row: ApiKeyRow): void {
  const now = service.clock();
  const recentTouches = service.state(createRecentTouches);
  if (now - (row.last_used_at ?? 0) < TOUCH_INTERVAL_MS || recentTouches.get(row.id) !== undefined) return;
  recentTouches.set(row.id, true);
  service.database
    .write((tx) => touchApiKey(tx, row.id, now), { alone: true })
    .catch((error: unknown) =>
      service.log.debug({ err: error, keyId: row.id }, 'could not record the use of an API key'),
    );
}

function asApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    rateLimitPerMinute: row.rate_limit_per_minute,
    scope: row.scope,
    prefix: row.prefix,
    lastFour: row.last_four,
    createdAt: isoTime(row.created_at),
    lastUsedAt: isoTimeOrNull(row.last_used_at),
    revokedAt: isoTimeOrNull(row.revoked_at),
  };
}
