import { accessSync, chmodSync, closeSync, constants, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Logger } from 'pino';
import { createFolder } from '../app/create-folder.ts';
import { giveToOwnerOf } from '../storage/sqlite/owner.ts';

const OTHERS = 0o077;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Beside a SQLite file: the write-ahead log, its index, and the server's lock. */
const COMPANIONS = ['', '-wal', '-shm', '.lock'];
/** The folder that we create by default, which holds nothing but our files. */
const OWN_FOLDER = 'data';

/**
 * Creates a missing database file and its folder, and removes everybody else's access from existing files. SQLite gives
 * the files that it creates beside the database the same mode, and puts its temporary files there, too.
 *
 * @throws Error with advice when the folder or the file cannot be written
 */
export function preparePrivateFiles(databasePath: string, log: Logger): void {
  try {
    refuseOtherThanFile(databasePath);
    createFolder(dirname(databasePath), FOLDER_MODE);
    // an empty file is an empty database
    createIfMissing(databasePath);
    const path = realpathSync(databasePath);
    // SQLite would create it readable for everybody
    if (createIfMissing(`${path}.lock`)) giveToOwnerOf(path, `${path}.lock`);
  } catch (error) {
    throw storageProblem(databasePath, error) ?? error;
  }
  if (process.platform === 'win32') return;
  const path = realpathSync(databasePath);
  // What SQLite sorts, in a migration 400 MB per million sales, belongs on the disk whose space is checked: in a container,
  // the usual folder is in memory. SQLite reads the variable at its first use.
  process.env.SQLITE_TMPDIR ??= dirname(path);
  for (const companion of COMPANIONS) narrow(`${path}${companion}`, FILE_MODE, log);
  if (basename(dirname(path)) === OWN_FOLDER) narrow(dirname(path), FOLDER_MODE, log);
}

/** Without its executable bit, a folder could no longer be entered; and a device, such as /dev/null, is everybody's. */
function refuseOtherThanFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile())
    throw Object.assign(new Error(`${path} is not a file`), { code: 'EISDIR' });
}

/** Returns whether it was missing. Never opens an existing file: closing it would release this process's locks on it. */
function createIfMissing(path: string): boolean {
  if (existsSync(path)) return false;
  closeSync(openSync(path, 'a', FILE_MODE));
  return true;
}

function narrow(path: string, mode: number, log: Logger): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & OTHERS) === 0) return;
  const before = `0${(found.mode & 0o777).toString(8)}`;
  try {
    chmodSync(path, mode);
    log.warn({ path, before, now: `0${mode.toString(8)}` }, 'others could read this: now only its owner can');
  } catch {
    log.warn({ path, mode: before }, 'others can read this, and it belongs to another user: restrict its permissions');
  }
}

const NO_SPACE = 'its disk is full: free some space, then start again';
const NOT_WRITABLE =
  'it cannot be written: give this user the right to write there, or set DATABASE_URL to another path';
const READ_ONLY = 'its disk is read-only: remount it, or set DATABASE_URL to a path that can be written';

const NO_SQLITE =
  'the native part of the package better-sqlite3 is missing, or does not fit this machine. Run npm ci again on this machine. If ' +
  'that does not help, use PostgreSQL (DATABASE_URL=postgres://…)';

const DAMAGED =
  'it is damaged, or not a SQLite database. Keep a copy of it and of the -wal file beside it. Then restore a backup: put it in ' +
  'its place, delete the -wal and -shm files, and start again';

const ADVICE: Record<string, string> = {
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  ENOENT: NOT_WRITABLE,
  EEXIST: 'a part of its path is a file: correct DATABASE_URL',
  ENOTDIR: 'a part of its path is a file: correct DATABASE_URL',
  ELOOP: 'a link in its path leads back to itself: correct the link, or DATABASE_URL',
  EISDIR: 'it is not a file: correct DATABASE_URL',
  EROFS: READ_ONLY,
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  SQLITE_FULL: NO_SPACE,
  SQLITE_IOERR_SHMSIZE: NO_SPACE,
  SQLITE_READONLY: NOT_WRITABLE,
  SQLITE_CANTOPEN: NOT_WRITABLE,
  SQLITE_NOTADB: DAMAGED,
  SQLITE_CORRUPT: DAMAGED,
  MODULE_NOT_FOUND: NO_SQLITE,
  ERR_DLOPEN_FAILED: NO_SQLITE,
};

/** What the operator can do about a disk error at start; null for any other error. */
export function storageProblem(databasePath: string, error: unknown): Error | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    // extended codes append a word: SQLITE_READONLY_DIRECTORY
    const found = ADVICE[code] ?? ADVICE[code.split('_').slice(0, 2).join('_')];
    if (found === undefined) continue;
    const advice = found === NOT_WRITABLE && isOnReadOnlyDisk(databasePath) ? READ_ONLY : found;
    return new Error(`The database ${databasePath} cannot be used: ${advice}`, { cause: error });
  }
  return null;
}

/** SQLite's codes do not tell a disk that is mounted read-only from a file that this user may not write. */
function isOnReadOnlyDisk(databasePath: string): boolean {
  try {
    accessSync(databasePath, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}
