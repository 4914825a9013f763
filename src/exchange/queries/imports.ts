import type { AccountId, ImportId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PageBounds } from '../../storage/list-filters.ts';

/** An import that the server runs. Times are epoch milliseconds; booleans are 0 or 1. */
export type ImportRow = {
  id: ImportId;
  accountId: AccountId;
  source: string;
  /** JSON, without secrets. */
  settings: string;
  sealedSecrets: Buffer | null;
  dryRun: number;
  status: 'uploading' | 'waiting' | 'running' | 'completed' | 'failed' | 'canceled';
  fileBytes: number;
  receivedBytes: number;
  /** JSON. */
  counts: string | null;
  problems: string | null;
  error: string | null;
  actorId: string;
  actorName: string;
  attempts: number;
  createdAt: number;
  changedAt: number;
  dueAt: number;
  startedAt: number | null;
  endedAt: number | null;
};

const COLUMNS = `i.id, i.account_id AS "accountId", i.source, i.settings, i.sealed_secrets AS "sealedSecrets",
  i.dry_run AS "dryRun", i.status, i.file_bytes AS "fileBytes", i.received_bytes AS "receivedBytes", i.counts, i.problems,
  i.error, i.actor_id AS "actorId", i.actor_name AS "actorName", i.attempts, i.created_at AS "createdAt",
  i.changed_at AS "changedAt", i.due_at AS "dueAt", i.started_at AS "startedAt", i.ended_at AS "endedAt"`;

export async function insertImport(tx: Transaction, row: ImportRow): Promise<void> {
  await tx.run(
    `INSERT INTO imports (id, account_id, source, settings, sealed_secrets, dry_run, status, file_bytes, received_bytes,
       counts, problems, error, actor_id, actor_name, attempts, created_at, changed_at, due_at, started_at, ended_at)
     VALUES (@id, @accountId, @source, @settings, @sealedSecrets, @dryRun, @status, @fileBytes, @receivedBytes,
       @counts, @problems, @error, @actorId, @actorName, @attempts, @createdAt, @changedAt, @dueAt, @startedAt, @endedAt)`,
    row,
  );
}

export function findImport(tx: Transaction, accountId: AccountId, id: string): Promise<ImportRow | undefined> {
  return tx.get(`SELECT ${COLUMNS} FROM imports i WHERE i.account_id = @accountId AND i.id = @id`, { accountId, id });
}

/** The newest first. */
export function findImports(tx: Transaction, accountId: AccountId, { beforeId, limit }: PageBounds) {
  return tx.all<ImportRow>(
    `SELECT ${COLUMNS} FROM imports i WHERE i.account_id = @accountId AND i.id < @beforeId ORDER BY i.id DESC LIMIT @limit`,
    { accountId, beforeId, limit },
  );
}

/** The account's only import that has not ended. */
export function findImportUnderWay(tx: Transaction, accountId: AccountId) {
  return tx.get<Pick<ImportRow, 'id' | 'status'>>(
    'SELECT i.id, i.status FROM imports i WHERE i.account_id = @accountId AND i.ended_at IS NULL',
    { accountId },
  );
}

/** Imports of any account that may begin now; on SQLite, also those that this process's predecessor ran. */
const IS_DUE = `i.ended_at IS NULL AND ((i.status = 'waiting' AND i.due_at <= @now) OR (i.status = 'running'
    AND (i.leased_until <= @now OR (@isOnlyProcess = 1 AND i.leased_by <> @leasedBy))))`;

/** Until when an import may not begin. */
const HELD_UNTIL = "CASE i.status WHEN 'waiting' THEN i.due_at WHEN 'running' THEN i.leased_until END";

export type LeaseNow = {
  now: number;
  leasedBy: string;
  /** 1 if no other process may serve this database, so nobody runs what another process has leased. */
  isOnlyProcess: number;
};

export type DueImport = {
  id: ImportId;
  /** Null when it may begin. Otherwise it is held until this time, farther ahead than a right clock sets it. */
  heldUntil: number | null;
};

/** Imports that may begin, and imports that are held until a time after `far`. */
export function findDueImports(tx: Transaction, lease: LeaseNow & { far: number }, limit: number) {
  return tx.all<DueImport>(
    `SELECT i.id, CASE WHEN ${IS_DUE} THEN NULL ELSE ${HELD_UNTIL} END AS "heldUntil" FROM imports i
     WHERE i.ended_at IS NULL AND ((${IS_DUE}) OR ${HELD_UNTIL} > @far)
     ORDER BY CASE WHEN ${IS_DUE} THEN 0 ELSE 1 END, i.due_at, i.id LIMIT @limit`,
    { ...lease, limit },
  );
}

/** Leases an import to this process, even if it is held until `heldUntil`; undefined when another process was faster. */
export function leaseImport(tx: Transaction, lease: DueImport & LeaseNow & { leasedUntil: number }) {
  return tx.get<ImportRow>(
    `UPDATE imports AS i SET status = 'running', leased_by = @leasedBy, leased_until = @leasedUntil,
       attempts = i.attempts + 1, started_at = COALESCE(i.started_at, @now), changed_at = @now, counts = NULL,
       problems = NULL, error = NULL
     WHERE i.id = @id AND i.ended_at IS NULL AND ((${IS_DUE}) OR ${HELD_UNTIL} = @heldUntil)
     RETURNING ${COLUMNS.replaceAll('i.', '')}`,
    { ...lease },
  );
}

export type ImportNews = {
  id: ImportId;
  leasedBy: string;
  /** Null before the first row. */
  counts: string | null;
  problems: string | null;
  now: number;
  leasedUntil: number;
};

/** Stores the progress and renews the lease; 0 when the import was canceled, or belongs to another process. */
export function noteProgress(tx: Transaction, news: ImportNews): Promise<number> {
  return tx.run(
    `UPDATE imports SET counts = @counts, problems = @problems, changed_at = @now, leased_until = @leasedUntil
     WHERE id = @id AND leased_by = @leasedBy AND status = 'running'`,
    news,
  );
}

/** Releases an import, to be begun again at `dueAt`. `uncounted`: 1 when this attempt does not count. */
export function releaseImport(
  tx: Transaction,
  release: { id: ImportId; leasedBy: string; dueAt: number; error: string | null; uncounted: number },
): Promise<number> {
  return tx.run(
    `UPDATE imports SET status = 'waiting', leased_by = NULL, leased_until = NULL, due_at = @dueAt, error = @error,
       attempts = attempts - @uncounted
     WHERE id = @id AND leased_by = @leasedBy AND status = 'running'`,
    release,
  );
}

export type ImportEnd = {
  id: ImportId;
  status: 'completed' | 'failed' | 'canceled';
  error: string | null;
  /** JSON that names no person. */
  settings: string;
  now: number;
};

const END = `UPDATE imports SET status = @status, error = @error, settings = @settings, ended_at = @now, changed_at = @now,
    sealed_secrets = NULL, leased_by = NULL, leased_until = NULL
  WHERE id = @id AND ended_at IS NULL`;

/** Ends an import and deletes its secrets; 0 when it has already ended. */
export function endImport(tx: Transaction, end: ImportEnd): Promise<number> {
  return tx.run(END, end);
}

/** As `endImport`, for the process that runs it; 0 also when it now belongs to another process. */
export function endOwnImport(tx: Transaction, end: ImportEnd & { leasedBy: string }): Promise<number> {
  return tx.run(`${END} AND leased_by = @leasedBy`, end);
}

/** Imports of any account whose upload has not continued since a time. */
export function findAbandonedUploads(tx: Transaction, before: number, limit: number) {
  return tx.all<Pick<ImportRow, 'id' | 'settings'>>(
    `SELECT i.id, i.settings FROM imports i WHERE i.ended_at IS NULL AND i.status = 'uploading' AND i.changed_at < @before
     LIMIT @limit`,
    { before, limit },
  );
}

/** An import of the account that was begun, and canceled after a time. */
export function findCanceledRun(tx: Transaction, accountId: AccountId, after: number) {
  return tx.get<Pick<ImportRow, 'id'>>(
    `SELECT i.id FROM imports i WHERE i.account_id = @accountId AND i.status = 'canceled' AND i.started_at IS NOT NULL
       AND i.ended_at > @after LIMIT 1`,
    { accountId, after },
  );
}

/** Deletes the messages about single rows of the account's imports that have ended. */
export async function deleteProblems(tx: Transaction, accountId: AccountId): Promise<void> {
  await tx.run(
    'UPDATE imports SET problems = NULL WHERE account_id = @accountId AND problems IS NOT NULL AND ended_at IS NOT NULL',
    { accountId },
  );
}

/** Deletes the messages about single rows of imports that ended before a time; returns the number of imports. */
export function deleteOldProblems(tx: Transaction, before: number): Promise<number> {
  return tx.run('UPDATE imports SET problems = NULL WHERE problems IS NOT NULL AND ended_at < @before', { before });
}
