import { z } from 'zod';
import { bearerTokenHash, createBearerToken, isBearerToken } from '../app/bearer-token.ts';
import { BoundedCache } from '../app/bounded-cache.ts';
import { optional, parseInput, text } from '../app/fields.ts';
import { type Page, pageInput, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { notFound } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import {
  type ApiKeyRow,
  findActiveApiKey,
  findApiKey,
  findApiKeys,
  insertApiKey,
  revokeApiKey as revokeApiKeyRow,
  touchApiKey,
} from './queries/api-keys.ts';

/** How much of a key is told again after its creation. */
const PREFIX_CHARACTERS = 12;
const TOUCH_INTERVAL_MS = 60_000;
const RECENT_TOUCHES_MAX = 10_000;
const RATE_LIMIT_MAX = 1_000_000;

const apiKeyInput = z.object({
  name: text(),
  rateLimitPerMinute: optional(z.number().int().min(1, 'must be at least 1').max(RATE_LIMIT_MAX)),
});

type ApiKeyInput = z.output<typeof apiKeyInput>;

const apiKeyPageInput = pageInput('key');

/** An API key as it is answered: never the key itself. */
export interface ApiKey {
  id: string;
  name: string;
  /** Its own limit; null for the environment's. */
  rateLimitPerMinute: number | null;
  prefix: string;
  lastFour: string;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

/** Whose request this is. */
export interface ApiKeyIdentity {
  keyId: string;
  accountId: string;
  rateLimitPerMinute: number | null;
}

/** Makes a key inside a unit of work; the key in clear leaves here and nowhere else. */
export async function addApiKey(
  tx: Transaction,
  accountId: string,
  input: ApiKeyInput,
  now: number,
): Promise<ApiKey & { key: string }> {
  const key = createBearerToken('rb_live_');
  const row: ApiKeyRow = {
    id: createId('key'),
    account_id: accountId,
    name: input.name,
    hash: bearerTokenHash(key),
    prefix: key.slice(0, PREFIX_CHARACTERS),
    last_four: key.slice(-4),
    rate_limit_per_minute: input.rateLimitPerMinute,
    created_at: now,
    last_used_at: null,
    revoked_at: null,
  };
  await insertApiKey(tx, row);
  return { ...asApiKey(row), key };
}

/**
 * A further key of the account.
 *
 * @throws ServiceError `VALIDATION_ERROR`
 */
export async function createApiKey(
  service: Service,
  accountId: string,
  body: unknown,
): Promise<ApiKey & { key: string }> {
  const input = parseInput(apiKeyInput, body);
  const now = service.clock();
  return service.database.write((tx) => addApiKey(tx, accountId, input, now));
}

/**
 * Keys of the account, revoked ones too, the newest first.
 *
 * @throws ServiceError `VALIDATION_ERROR`
 */
export async function listApiKeys(service: Service, accountId: string, query: unknown): Promise<Page<ApiKey>> {
  const page = parseInput(apiKeyPageInput, query);
  return service.database.read((tx) => pageOf(page, (bounds) => findApiKeys(tx, accountId, bounds), asApiKey));
}

/**
 * Revokes a key, for good and in every process at once. Revoking one again changes nothing.
 *
 * @throws ServiceError `NOT_FOUND` for a key that is not this account's
 */
export async function revokeApiKey(service: Service, accountId: string, id: string): Promise<void> {
  const now = service.clock();
  await service.database.write(async (tx) => {
    if (await revokeApiKeyRow(tx, accountId, id, now)) return;
    if ((await findApiKey(tx, accountId, id)) === undefined) throw notFound('API key', id);
  });
}

/**
 * Whose key this is; null for anything that is not a working API key. A bad checksum does not reach the database, and
 * nothing is cached, so that a revocation holds from its commit on.
 */
export async function findApiKeyIdentity(service: Service, token: string): Promise<ApiKeyIdentity | null> {
  if (!isBearerToken('rb_live_', token)) return null;
  const row = await service.database.read((tx) => findActiveApiKey(tx, bearerTokenHash(token)));
  if (row === undefined) return null;
  rememberUse(service, row);
  return { keyId: row.id, accountId: row.account_id, rateLimitPerMinute: row.rate_limit_per_minute };
}

/** Keys whose use was written within the last minute: a burst, or a database that fails, costs one write a minute. */
const createRecentTouches = ({ clock }: Service) =>
  new BoundedCache<string, true>({ entriesMax: RECENT_TOUCHES_MAX, maxAgeMs: TOUCH_INTERVAL_MS, clock });

/** Not awaited: that a key was used is good to know, and no reason to delay or refuse a request. */
function rememberUse(service: Service, row: ApiKeyRow): void {
  const now = service.clock();
  const recentTouches = service.state(createRecentTouches);
  if (now - (row.last_used_at ?? 0) < TOUCH_INTERVAL_MS || recentTouches.get(row.id) !== undefined) return;
  recentTouches.set(row.id, true);
  service.database
    .write((tx) => touchApiKey(tx, row.id, now))
    .catch((error: unknown) =>
      service.log.debug({ err: error, keyId: row.id }, 'the use of an API key was not stored'),
    );
}

function asApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    rateLimitPerMinute: row.rate_limit_per_minute,
    prefix: row.prefix,
    lastFour: row.last_four,
    createdAt: isoTime(row.created_at),
    lastUsedAt: isoTimeOrNull(row.last_used_at),
    revokedAt: isoTimeOrNull(row.revoked_at),
  };
}
