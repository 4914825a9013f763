import { randomUUID } from 'node:crypto';
import type { Transaction } from './database.ts';

/** The version of the last applied migration. */
export async function appliedSchemaVersion(tx: Transaction): Promise<number> {
  const row = await tx.get<{ version: number }>('SELECT MAX(version) AS version FROM schema_migrations');
  return row?.version ?? 0;
}

/** Longer than a page of a SQLite file, so that a full database cannot fit it into the free space of a page. */
const PADDING = 'x'.repeat(2_500);

/** Stores a row and deletes it again, to find out whether writes succeed; touches no other row. */
export async function writeAndDelete(tx: Transaction): Promise<void> {
  // a key that no request can have, in a small table
  const key = `write probe ${randomUUID()} ${PADDING}`;
  await tx.run('INSERT INTO rate_limits (key, points, expire) VALUES (@key, 0, 0)', { key });
  await tx.run('DELETE FROM rate_limits WHERE key = @key', { key });
}
