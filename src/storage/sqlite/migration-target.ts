import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationTarget } from '../migrate.ts';
import { withSqliteClauses } from '../sql-text.ts';
import { BUSY_TIMEOUT_MS, type SqliteConnection } from './connection.ts';
import { isLocked } from './failure.ts';

const LOCK_RETRY_MS = 50;

export function migrationTargetOn(connection: SqliteConnection, path: string): MigrationTarget {
  return {
    async rowsOf(table) {
      const kind = connection.get('SELECT wr FROM pragma_table_list(@table)', { table }) as { wr: number } | undefined;
      if (kind === undefined) return 0;
      // The last row's number takes one lookup. A table WITHOUT ROWID has none, and its keys must be counted.
      const rows = kind.wr === 0 ? 'COALESCE(MAX(rowid), 0)' : 'COUNT(*)';
      return (connection.get(`SELECT ${rows} AS "rows" FROM "${table}"`) as { rows: number }).rows;
    },
    bytes: async () => Number(connection.pragma('page_count')) * Number(connection.pragma('page_size')),
    async spaceFor(bytes) {
      const { bavail, bsize } = statfsSync(dirname(path));
      // Until the checkpoint after the commit, every changed page is in the write-ahead log and in the file.
      return { neededBytes: 2 * bytes, freeBytes: bavail * bsize };
    },
    async hasTable(name) {
      const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = @name";
      return connection.get(sql, { name }) !== undefined;
    },
    all: async (sql, parameters) => connection.all(sql, parameters),
    run: async (sql, parameters) => connection.run(sql, parameters),
    textFor: withSqliteClauses,
    execute: async (sql) => connection.executeScript(sql),
    async exclusively(work) {
      // has no effect within a transaction
      connection.foreignKeys = 'OFF';
      try {
        await begin(connection);
        const result = await work();
        connection.run('COMMIT');
        return result;
      } catch (error) {
        if (connection.inTransaction) connection.run('ROLLBACK');
        throw error;
      } finally {
        connection.foreignKeys = 'ON';
      }
    },
  };
}

/** Waits as long as it takes, as PostgreSQL does: another process that migrates may need minutes. */
async function begin(connection: SqliteConnection): Promise<void> {
  const usualTimeout = Number(connection.pragma('busy_timeout'));
  connection.busyTimeoutMs = BUSY_TIMEOUT_MS;
  try {
    while (!hasBegun(connection)) await sleep(LOCK_RETRY_MS);
  } finally {
    connection.busyTimeoutMs = usualTimeout;
  }
}

function hasBegun(connection: SqliteConnection): boolean {
  try {
    connection.run('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  }
}
