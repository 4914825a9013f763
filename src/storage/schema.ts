import type { Transaction } from './database.ts';

/** The version of the last applied migration. */
export async function appliedSchemaVersion(tx: Transaction): Promise<number> {
  const row = await tx.get<{ version: number }>('SELECT MAX(version) AS version FROM schema_migrations');
  return row?.version ?? 0;
}
