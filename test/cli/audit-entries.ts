import type { Database } from '../../src/storage/database.ts';

interface Entry {
  accountId: string;
  actorId: string;
  actorName: string;
  action: string;
  resourceId: string;
  changes: Record<string, { before: unknown; after: unknown }>;
}

/** The audit log of all accounts as stored, oldest first, or its entries about one resource. */
export async function auditEntries(database: Database, resourceId?: string): Promise<Entry[]> {
  const rows = await database.read((tx) =>
    tx.all<Omit<Entry, 'changes'> & { changes: string }>(
      `SELECT account_id AS "accountId", actor_id AS "actorId", actor_name AS "actorName", action,
         resource_id AS "resourceId", changes FROM audit_log ORDER BY id`,
    ),
  );
  const parsed = rows.map((row) => ({ ...row, changes: JSON.parse(row.changes) as Entry['changes'] }));
  return parsed.filter((entry) => resourceId === undefined || entry.resourceId === resourceId);
}
