import { realpathSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';

export interface ServeLock {
  release(): void;
}

// A connection that nobody refers to is closed by the garbage collector, and its lock would go with it.
const held = new Set<BetterSqlite3.Database>();

/**
 * Makes sure that one server works on a SQLite file: its group commit and its reads assume that. The lock is the
 * operating system's, held on a sidecar file `<database>.lock`, so it ends with the process however that ends. Only
 * `serve` takes it; commands open the database beside it.
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
      `Another server is running on ${databasePath}. Stop it first; or use PostgreSQL (DATABASE_URL=postgres://…), ` +
        'which any number of servers may share',
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
