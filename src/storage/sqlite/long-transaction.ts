import { DatabaseFailure, type Unit } from '../database.ts';
import { createReadTransaction } from '../read-transaction.ts';
import { unavailableBecause } from '../unavailable.ts';
import { runWhole, WriteTransaction } from '../write-transaction.ts';
import { sessionOn } from './batch.ts';
import { SqliteConnection } from './connection.ts';

/** How long the start may wait for another writer. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Runs `work` on one committed state of the file. The write-ahead log grows meanwhile, because that state is still
 * being read.
 */
export function runInSnapshot<T>(path: string, work: Unit<T>): Promise<T> {
  return onConnection(path, true, async (connection) => {
    connection.run('BEGIN');
    // a deferred transaction takes its snapshot with its first read
    connection.get('SELECT COUNT(*) AS "migrations" FROM schema_migrations');
    const result = await work(createReadTransaction(connection));
    connection.run('COMMIT');
    return result;
  });
}

/** Runs `work` in one write transaction; closing the connection rolls back what was not committed. */
export function runInBulk<T>(path: string, work: Unit<T>): Promise<T> {
  return onConnection(path, false, async (connection) => {
    connection.run('BEGIN IMMEDIATE');
    const result = await runWhole(work, new WriteTransaction(sessionOn(connection)));
    connection.run('COMMIT');
    return result;
  });
}

async function onConnection<T>(
  path: string,
  readonly: boolean,
  work: (connection: SqliteConnection) => Promise<T>,
): Promise<T> {
  const connection = new SqliteConnection(path, { readonly, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return await work(connection);
  } catch (error) {
    throw error instanceof DatabaseFailure ? unavailableBecause(error) : error;
  } finally {
    connection.close();
  }
}
