import { spawnSync } from 'node:child_process';
import { closeSync, openSync, realpathSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';

export interface ServeLock {
  release(): void;
}

const FLOCK_TAKEN = 1;

// The garbage collector would close an unreferenced connection and release its lock.
const held = new Set<BetterSqlite3.Database>();

/**
 * Ensures that only one server uses a SQLite file, which group commit and reads rely on. The operating system holds two
 * locks, so they end with the process, even after a crash: one on a sidecar file `<database>.lock`, and one on the
 * database file itself, in case somebody removes the sidecar or names the database by a hard link. `serve` takes them, and
 * so do commands that need the file for themselves; other commands open it beside the server.
 *
 * Take it before the database is opened and release it after: closing any descriptor of a file releases the locks that
 * SQLite holds on it in this process.
 *
 * @param databasePath of an existing database file, which may be empty
 * @throws Error when a server, or such a command, holds it
 */
export function acquireServeLock(databasePath: string): ServeLock {
  const sidecar = lockSidecar(databasePath);
  const descriptor = openSync(databasePath, 'r');
  if (!lockDescriptor(descriptor)) {
    closeSync(descriptor);
    sidecar.close();
    throw otherServer(databasePath);
  }
  held.add(sidecar);
  return {
    release() {
      held.delete(sidecar);
      closeSync(descriptor);
      sidecar.close();
    },
  };
}

function lockSidecar(databasePath: string): BetterSqlite3.Database {
  const sidecar = new BetterSqlite3(`${realpathSync(databasePath)}.lock`, { timeout: 0 });
  try {
    sidecar.exec('BEGIN EXCLUSIVE');
    return sidecar;
  } catch (error) {
    sidecar.close();
    if (!(error instanceof BetterSqlite3.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error;
    throw otherServer(databasePath, error);
  }
}

/**
 * Locks the open file with flock(1), because Node cannot: the lock belongs to the descriptor that both processes share,
 * and remains when the program ends. SQLite uses another kind of lock and does not notice. True also where the program
 * is missing (macOS): the sidecar remains.
 */
function lockDescriptor(descriptor: number): boolean {
  const { error, status } = spawnSync('flock', ['-xn', '3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
  return error !== undefined || status !== FLOCK_TAKEN;
}

function otherServer(databasePath: string, cause?: unknown): Error {
  return new Error(
    `Another server is running on ${databasePath}. Stop it first; several servers can share only a PostgreSQL database ` +
      '(DATABASE_URL=postgres://…)',
    { cause },
  );
}
