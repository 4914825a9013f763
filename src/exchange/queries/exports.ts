import type { AccountId, ExportId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PageBounds } from '../../storage/list-filters.ts';

export type ExportRow = {
  id: ExportId;
  accountId: AccountId;
  actorId: string;
  actorName: string;
  createdAt: number;
  expiresAt: number;
  downloadCount: number;
  /** When the last complete download ended. */
  downloadedAt: number | null;
  rowCount: number | null;
};

const COLUMNS = `e.id, e.account_id AS "accountId", e.actor_id AS "actorId", e.actor_name AS "actorName",
  e.created_at AS "createdAt", e.expires_at AS "expiresAt", e.download_count AS "downloadCount",
  e.downloaded_at AS "downloadedAt", e.row_count AS "rowCount"`;

export async function insertExport(tx: Transaction, row: ExportRow): Promise<void> {
  await tx.run(
    `INSERT INTO exports (id, account_id, actor_id, actor_name, created_at, expires_at, download_count, downloaded_at,
       row_count)
     VALUES (@id, @accountId, @actorId, @actorName, @createdAt, @expiresAt, @downloadCount, @downloadedAt, @rowCount)`,
    row,
  );
}

export function findExport(tx: Transaction, accountId: AccountId, id: string): Promise<ExportRow | undefined> {
  return tx.get(`SELECT ${COLUMNS} FROM exports e WHERE e.account_id = @accountId AND e.id = @id`, { accountId, id });
}

/** The newest first. */
export function findExports(tx: Transaction, accountId: AccountId, { beforeId, limit }: PageBounds) {
  return tx.all<ExportRow>(
    `SELECT ${COLUMNS} FROM exports e WHERE e.account_id = @accountId AND e.id < @beforeId ORDER BY e.id DESC LIMIT @limit`,
    { accountId, beforeId, limit },
  );
}

export async function countDownload(tx: Transaction, id: ExportId): Promise<void> {
  await tx.run('UPDATE exports SET download_count = download_count + 1 WHERE id = @id', { id });
}

export async function noteDownloaded(tx: Transaction, id: ExportId, rowCount: number, now: number): Promise<void> {
  await tx.run('UPDATE exports SET downloaded_at = @now, row_count = @rowCount WHERE id = @id', { id, rowCount, now });
}
