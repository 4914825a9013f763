import { randomBytes, randomUUID } from 'node:crypto';
import type { Transaction } from './database.ts';

/** The version of the last applied migration. */
export async function appliedSchemaVersion(tx: Transaction): Promise<number> {
  const row = await tx.get<{ version: number }>('SELECT MAX(version) AS version FROM schema_migrations');
  return row?.version ?? 0;
}

/**
 * Stores a row and deletes it again, to find out whether writes succeed; touches no other row.
 *
 * @param bytes random content, which no disk can compress, in the row's key: written as base64, in the table and its index
 */
export async function writeAndDelete(tx: Transaction, bytes: number): Promise<void> {
  // a key that no request can have, in a small table
  const key = `write probe ${randomUUID()} ${randomBytes(bytes).toString('base64')}`;
  await tx.run('INSERT INTO rate_limits (key, points, expire) VALUES (@key, 0, 0)', { key });
  await tx.run('DELETE FROM rate_limits WHERE key = @key', { key });
}
