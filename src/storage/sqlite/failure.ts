import BetterSqlite3 from 'better-sqlite3';
import { DatabaseFailure } from '../database.ts';
import { DAMAGED, DISK_FULL } from '../unavailable.ts';

const FAILURES: Record<string, string> = {
  SQLITE_FULL: DISK_FULL,
  // readers, too, need space for the index of the log
  SQLITE_IOERR_SHMSIZE: DISK_FULL,
  SQLITE_BUSY: 'The database is locked by another process',
  SQLITE_LOCKED: 'The database is locked',
  SQLITE_PROTOCOL: 'The database is locked',
  SQLITE_IOERR: 'The database could not be read or written',
  SQLITE_NOMEM: 'The database ran out of memory',
  SQLITE_CANTOPEN: 'The database could not be opened',
  SQLITE_READONLY: 'The database cannot be written',
  SQLITE_CORRUPT: DAMAGED,
  SQLITE_NOTADB: DAMAGED,
  SQLITE_INTERRUPT: 'The database was interrupted',
};
const RETRYABLE = ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL'];

/** The failure of the engine; undefined when the query itself is wrong, and for all other errors. */
export function databaseFailureFrom(error: unknown): DatabaseFailure | undefined {
  if (!(error instanceof BetterSqlite3.SqliteError)) return undefined;
  // extended codes append a word: SQLITE_IOERR_FSYNC
  const code = error.code.split('_').slice(0, 2).join('_');
  const message = FAILURES[error.code] ?? FAILURES[code];
  return message === undefined ? undefined : new DatabaseFailure(message, RETRYABLE.includes(code), error);
}

/** True for a failure that passes once another connection releases its lock. */
export const isLocked = (error: unknown) => error instanceof DatabaseFailure && error.retryable;
