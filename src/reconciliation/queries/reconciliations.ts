import type { AccountId, EndpointId, ReconciliationId } from '../../core/ids.ts';
import type { Processor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PageBounds } from '../../storage/list-filters.ts';

export const RECONCILIATION_STATUSES = ['waiting', 'running', 'completed', 'failed', 'canceled'] as const;

export type ReconciliationStatus = (typeof RECONCILIATION_STATUSES)[number];

/** A reconciliation. Times are epoch milliseconds; booleans are 0 or 1. */
export type NewReconciliation = {
  id: ReconciliationId;
  accountId: AccountId;
  endpointId: EndpointId;
  since: number;
  dryRun: number;
  actorId: string;
  actorName: string;
  createdAt: number;
};

export type ReconciliationRow = NewReconciliation & {
  processor: Processor;
  status: ReconciliationStatus;
  cursor: string | null;
  pageCount: number;
  markedCursor: string | null;
  readCount: number;
  knownCount: number;
  ignoredCount: number;
  saleCount: number;
  reversalCount: number;
  unattributedCount: number;
  failedCount: number;
  otherCount: number;
  /** `NotRead[]` as JSON. */
  notRead: string;
  error: string | null;
  failures: number;
  dueAt: number;
  startedAt: number | null;
  endedAt: number | null;
};

const SELECT = `SELECT r.id, r.account_id AS "accountId", r.endpoint_id AS "endpointId", w.processor, r.since,
    r.dry_run AS "dryRun", r.status, r.cursor, r.page_count AS "pageCount", r.marked_cursor AS "markedCursor",
    r.read_count AS "readCount", r.known_count AS "knownCount",
    r.ignored_count AS "ignoredCount", r.sale_count AS "saleCount", r.reversal_count AS "reversalCount",
    r.unattributed_count AS "unattributedCount", r.failed_count AS "failedCount", r.other_count AS "otherCount",
    r.not_read AS "notRead", r.error, r.failures, r.actor_id AS "actorId", r.actor_name AS "actorName", r.created_at AS "createdAt",
    r.due_at AS "dueAt", r.started_at AS "startedAt", r.ended_at AS "endedAt"
  FROM reconciliations r JOIN webhook_endpoints w ON w.id = r.endpoint_id`;

export async function insertReconciliation(tx: Transaction, row: NewReconciliation): Promise<void> {
  await tx.run(
    `INSERT INTO reconciliations (id, account_id, endpoint_id, since, dry_run, status, page_count, read_count,
       known_count, ignored_count, sale_count, reversal_count, unattributed_count, failed_count, other_count, not_read,
       failures, actor_id, actor_name, created_at, due_at)
     VALUES (@id, @accountId, @endpointId, @since, @dryRun, 'waiting', 0, 0, 0, 0, 0, 0, 0, 0, 0, '[]', 0, @actorId, @actorName,
       @createdAt, @createdAt)`,
    row,
  );
}

export function findReconciliation(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<ReconciliationRow | undefined> {
  return tx.get(`${SELECT} WHERE r.account_id = @accountId AND r.id = @id`, { accountId, id });
}

/** The newest first. */
export function findReconciliations(tx: Transaction, accountId: AccountId, { beforeId, limit }: PageBounds) {
  return tx.all<ReconciliationRow>(
    `${SELECT} WHERE r.account_id = @accountId AND r.id < @beforeId ORDER BY r.id DESC LIMIT @limit`,
    { accountId, beforeId, limit },
  );
}

/** Like `findReconciliations`, of one endpoint. The account is compared as an expression, which needs no index. */
export function findReconciliationsOf(
  tx: Transaction,
  accountId: AccountId,
  endpointId: string,
  { beforeId, limit }: PageBounds,
) {
  return tx.all<ReconciliationRow>(
    `${SELECT} WHERE r.endpoint_id = @endpointId AND r.account_id || '' = @accountId AND r.id < @beforeId
     ORDER BY r.id DESC LIMIT @limit`,
    { accountId, endpointId, beforeId, limit },
  );
}

/** The endpoint's only reconciliation that has not ended. */
export function findUnderWay(tx: Transaction, endpointId: EndpointId) {
  return tx.get<Pick<ReconciliationRow, 'id' | 'status'>>(
    'SELECT r.id, r.status FROM reconciliations r WHERE r.endpoint_id = @endpointId AND r.ended_at IS NULL',
    { endpointId },
  );
}

/** Ends a reconciliation; 0 when it has already ended. */
export function cancelRow(tx: Transaction, id: ReconciliationId, now: number): Promise<number> {
  return tx.run(
    `UPDATE reconciliations SET status = 'canceled', cursor = NULL, marked_cursor = NULL, ended_at = @now, leased_by = NULL,
       leased_until = NULL
     WHERE id = @id AND ended_at IS NULL`,
    { id, now },
  );
}
