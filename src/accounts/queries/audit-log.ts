import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, filterParameters, type PageBounds, pageSql, walkOfAccount } from '../../storage/list-filters.ts';

/** Who did what to which resource, and when. */
export interface AuditEntry {
  id: string;
  accountId: AccountId;
  actorId: string;
  actorName: string;
  action: string;
  resourceId: string;
  /** JSON: `{member: {before, after}}`. */
  changes: string;
  createdAt: number;
}

const LIST = {
  alias: 'l',
  columns: { resourceId: 'l.resource_id', actorId: 'l.actor_id', action: 'l.action' },
  walks: {
    resourceId: walkOfAccount('l', 'l.resource_id = @resourceId'),
    actorId: walkOfAccount('l', 'l.actor_id = @actorId'),
    action: walkOfAccount('l', 'l.action = @action'),
  },
};

/** Adds an entry. Entries are never deleted; the only change is the erasure of a person's data. */
export async function insertAuditEntry(tx: Transaction, entry: AuditEntry): Promise<void> {
  await tx.run(
    `INSERT INTO audit_log (id, account_id, actor_id, actor_name, action, resource_id, changes, created_at)
     VALUES (@id, @accountId, @actorId, @actorName, @action, @resourceId, @changes, @createdAt)`,
    { ...entry },
  );
}

/** Newest first. Filters: `resourceId`, `actorId`, `action`. */
export function findAuditEntries(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  { limit, beforeId }: PageBounds,
): Promise<AuditEntry[]> {
  return tx.all<AuditEntry>(
    `SELECT l.id, l.account_id AS "accountId", l.actor_id AS "actorId", l.actor_name AS "actorName", l.action,
       l.resource_id AS "resourceId", l.changes, l.created_at AS "createdAt"
     FROM audit_log l WHERE ${pageSql(filters, LIST)}`,
    { accountId, ...filterParameters(filters), limit, beforeId },
  );
}

/** The entries of a resource after the given one, in the order of ids. */
export function findEntriesOf(
  tx: Transaction,
  accountId: AccountId,
  resourceId: string,
  { afterId, limit }: { afterId: string; limit: number },
) {
  return tx.all<Pick<AuditEntry, 'id' | 'actorId' | 'actorName' | 'changes'>>(
    `SELECT id, actor_id AS "actorId", actor_name AS "actorName", changes FROM audit_log
     WHERE account_id = @accountId AND resource_id = @resourceId AND id > @afterId ORDER BY id LIMIT @limit`,
    { accountId, resourceId, afterId, limit },
  );
}

export async function countEntriesOf(tx: Transaction, accountId: AccountId, resourceId: string): Promise<number> {
  const sql = 'SELECT COUNT(*) AS count FROM audit_log WHERE account_id = @accountId AND resource_id = @resourceId';
  return (await tx.get<{ count: number }>(sql, { accountId, resourceId }))?.count ?? 0;
}

export function updateEntry(tx: Transaction, id: string, entry: Pick<AuditEntry, 'actorName' | 'changes'>) {
  return tx.run('UPDATE audit_log SET actor_name = @actorName, changes = @changes WHERE id = @id', { id, ...entry });
}
