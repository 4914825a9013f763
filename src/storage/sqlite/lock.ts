import { realpathSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';

export interface ServeLock {
  release(): void;
}

// The garbage collector would close an unreferenced connection and release its lock.
const held = new Set<BetterSqlite3.Database>();

/**
 * Ensures that only one server uses a SQLite file, which group commit and reads rely on. The operating system holds the
 * lock on a sidecar file `<database>.lock`, so it ends with the process, even after a crash. Only `serve` takes it;
 * commands open the database beside the server.
 *
 * @param databasePath of an existing database file
 * @throws Error when another server holds it
 */
export function acquireServeLock(databasePath: string): ServeLock {
  const lockPath = `${realpathSync(databasePath)}.lock`;
  const sidecar = new BetterSqlite3(lockPath, { timeout: 0 });
  try {
    sidecar.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    sidecar.close();
    if (!(error instanceof BetterSqlite3.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error;
    throw new Error(
      `Another server is running on ${databasePath}. Stop it first, or use PostgreSQL (DATABASE_URL=postgres://…), ` +
        'which several servers can share',
      { cause: error },
    );
  }
  held.add(sidecar);
  return {
    release() {
      held.delete(sidecar);
      sidecar.close();
    },
  };
}
