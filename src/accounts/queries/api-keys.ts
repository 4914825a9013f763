import type { ApiKeyScope } from '../../core/api-key-scope.ts';
import type { AccountId, ApiKeyId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PageBounds } from '../../storage/list-filters.ts';

export interface ApiKeyRow {
  id: ApiKeyId;
  account_id: AccountId;
  name: string;
  /** SHA-256 of the key, in hexadecimal. */
  hash: string;
  prefix: string;
  last_four: string;
  rate_limit_per_minute: number | null;
  scope: ApiKeyScope;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

const COLUMNS =
  'id, account_id, name, hash, prefix, last_four, rate_limit_per_minute, scope, created_at, last_used_at, revoked_at';

/** Adds a key with a new id and hash. */
export async function insertApiKey(tx: Transaction, key: ApiKeyRow): Promise<void> {
  await tx.run(
    `INSERT INTO api_keys (${COLUMNS})
     VALUES (@id, @account_id, @name, @hash, @prefix, @last_four, @rate_limit_per_minute, @scope, @created_at, @last_used_at, @revoked_at)`,
    { ...key },
  );
}

/** The key with this hash, unless it was revoked. */
export function findActiveApiKey(tx: Transaction, hash: string): Promise<ApiKeyRow | undefined> {
  return tx.get<ApiKeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE hash = @hash AND revoked_at IS NULL`, { hash });
}

/** One key of this account, revoked or not. */
export function findApiKey(tx: Transaction, accountId: AccountId, id: string): Promise<ApiKeyRow | undefined> {
  return tx.get<ApiKeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE account_id = @accountId AND id = @id`, {
    accountId,
    id,
  });
}

/** Keys of this account with ids below `beforeId`, including revoked ones, newest first, at most `limit`. */
export function findApiKeys(
  tx: Transaction,
  accountId: AccountId,
  { limit, beforeId }: PageBounds,
): Promise<ApiKeyRow[]> {
  return tx.all<ApiKeyRow>(
    `SELECT ${COLUMNS} FROM api_keys WHERE account_id = @accountId AND id < @beforeId ORDER BY id DESC LIMIT @limit`,
    { accountId, limit, beforeId },
  );
}

/** Revokes a key of this account. Returns false when the account has no such active key. */
export async function revokeApiKeyRow(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: number,
): Promise<boolean> {
  const changed = await tx.run(
    'UPDATE api_keys SET revoked_at = @now WHERE account_id = @accountId AND id = @id AND revoked_at IS NULL',
    { accountId, id, now },
  );
  return changed === 1;
}

/** Records the time when a key was used, unless a later use is already recorded. */
export async function touchApiKey(tx: Transaction, id: ApiKeyId, now: number): Promise<void> {
  await tx.run(
    'UPDATE api_keys SET last_used_at = @now WHERE id = @id AND (last_used_at IS NULL OR last_used_at < @now)',
    { id, now },
  );
}
