import { accessSync, closeSync, constants, existsSync, fdatasyncSync, openSync, rmSync, statfsSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { messageOf } from '../../errors.ts';
import { rememberBackup } from './disk-use.ts';
import { refuseOldLog } from './old-log.ts';

/**
 * What one step copies and flushes: the server's own flushes wait for no more than this. For 1 GB on a busy disk, the
 * longest click during the copy took 317 and 357 ms in two rounds; 832 and 2,136 ms with 4 MiB, 467 and 670 ms when
 * copied at once.
 */
const STEP_BYTES = 1024 * 1024;
/** What SQLite puts beside a file, and applies to any file of that name that it finds. */
const COMPANIONS = ['-wal', '-shm', '-journal'];

export interface BackupOptions {
  /** Reads the whole copy and checks its structure and foreign keys. */
  verify: boolean;
  /** Called after each step of the copy, with its progress. */
  onProgress?: (copiedBytes: number, totalBytes: number) => void;
  /** Called when everything is copied; the check that follows blocks the process. */
  onCopied?: () => void;
  /** Called when the copy is good, but its time could not be recorded beside the database. */
  onUnrecorded?: (reason: string) => void;
}

/**
 * Copies a consistent snapshot of a SQLite database that may be in use into one file that `file:` opens. The destination
 * appears complete or not at all.
 *
 * @throws Error when the destination or a companion of it exists, cannot be written, or its disk is too small, the
 *   database is damaged, the copy fails the check, or a log that is not its own lies beside the database
 */
export async function backupDatabase(databasePath: string, destination: string, options: BackupOptions): Promise<void> {
  try {
    await copySnapshot(databasePath, destination, options);
  } catch (error) {
    if (!(error instanceof BetterSqlite3.SqliteError)) throw error;
    const advice = /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)
      ? 'The database is damaged: keep its earlier backups'
      : 'Check that this user may read the one and write the other, and that the disk works and has space';
    throw new Error(`Copying ${databasePath} to ${destination} failed: ${error.message}. ${advice}`, { cause: error });
  }
}

async function copySnapshot(databasePath: string, destination: string, options: BackupOptions): Promise<void> {
  requireFree(destination);
  refuseOldLog(databasePath);
  requireFolder(dirname(destination));
  const source = new BetterSqlite3(databasePath, { readonly: true, fileMustExist: true });
  const partial = partialBackupOf(destination);
  try {
    // Holds one snapshot for all steps. Without it, a commit of another process between two steps restarts the copy.
    source.exec('BEGIN');
    const pageBytes = Number(source.pragma('page_size', { simple: true }));
    const totalBytes = Number(source.pragma('page_count', { simple: true })) * pageBytes;
    requireSpace(destination, totalBytes);
    deletePartialBackup(destination);
    await copyPages(source, partial, { pageBytes, onProgress: options.onProgress });
    source.close();
    options.onCopied?.();
    // one turn of the event loop for the listener's own work
    await yieldToEventLoop();
    finishCopy(partial, options.verify);
    requireFree(destination);
    await rename(partial, destination);
    await syncFolder(dirname(destination));
    record(databasePath, options);
  } finally {
    source.close();
    deletePartialBackup(destination);
  }
}

/** The metrics report the age of the last backup. A copy is just as good when it could not be recorded. */
function record(databasePath: string, { onUnrecorded }: BackupOptions): void {
  try {
    rememberBackup(databasePath, Date.now());
  } catch (error) {
    onUnrecorded?.(messageOf(error));
  }
}

function requireFree(destination: string): void {
  if (existsSync(destination))
    throw new Error(`${destination} already exists, and a backup overwrites nothing: name a new file`);
  const left = COMPANIONS.map((suffix) => `${destination}${suffix}`).filter((file) => existsSync(file));
  if (left.length === 0) return;
  throw new Error(
    `${left.join(' and ')} of an earlier file ${left.length === 1 ? 'is' : 'are'} still there, and would change the ` +
      `copy when it is opened: make sure that no process uses ${destination}, then delete them, or name a new file`,
  );
}

/** @throws Error with advice when the copy cannot be created there; SQLite would only say that it cannot open it */
function requireFolder(folder: string): void {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const advice = isMissing
      ? 'does not exist: create it'
      : 'cannot be written: give this user the right to write there';
    throw new Error(`The folder ${folder} ${advice}, or name a file elsewhere`, { cause: error });
  }
}

/** Deletes what an interrupted backup to this destination has copied. */
export function deletePartialBackup(destination: string): void {
  for (const suffix of ['', ...COMPANIONS]) rmSync(`${partialBackupOf(destination)}${suffix}`, { force: true });
}

function partialBackupOf(destination: string): string {
  return `${destination}.partial`;
}

/** The copy is as large as the database file, without its write-ahead log. */
function requireSpace(destination: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(destination));
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return;
  const [needed, free] = [neededBytes, freeBytes].map((bytes) => `${Math.ceil(bytes / 1_000_000)} MB`);
  throw new Error(
    `The copy needs ${needed}, but only ${free} are free in ${dirname(destination)}. Free some space, or choose a ` +
      'destination on another disk',
  );
}

interface CopyOptions {
  pageBytes: number;
  onProgress: BackupOptions['onProgress'] | undefined;
}

/** Copies in steps, with a turn of the event loop between them, and flushes each: a single flush would delay others. */
async function copyPages(
  source: BetterSqlite3.Database,
  partial: string,
  { pageBytes, onProgress }: CopyOptions,
): Promise<void> {
  let file: number | undefined;
  const flush = () => {
    // The first call comes before the first page, when there may be no file yet.
    if (file === undefined && existsSync(partial)) file = openSync(partial, 'r+');
    if (file !== undefined) fdatasyncSync(file);
  };
  try {
    await source.backup(partial, {
      progress({ totalPages, remainingPages }) {
        flush();
        onProgress?.((totalPages - remainingPages) * pageBytes, totalPages * pageBytes);
        return Math.ceil(STEP_BYTES / pageBytes);
      },
    });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function finishCopy(path: string, verify: boolean): void {
  const copy = new BetterSqlite3(path);
  try {
    // Without WAL mode, the copy is a single file.
    copy.pragma('journal_mode = DELETE');
    if (!verify) return;
    const integrity = copy.pragma('integrity_check(1)', { simple: true });
    const orphans = copy.pragma('foreign_key_check');
    if (integrity !== 'ok') throw new Error(`The copy is damaged: ${integrity}`);
    if (Array.isArray(orphans) && orphans.length > 0) {
      throw new Error(`${orphans.length} rows of the copy refer to rows that do not exist`);
    }
  } finally {
    copy.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
