import Database from 'better-sqlite3';
import { openSqlite } from '../../../../src/storage/sqlite/database.ts';
import type { BulkTarget } from './fill.ts';

/** Memory for the rows and the sorting of indexes; the same for every size. */
const CACHE_KIBIBYTES = 256_000;

/** A new file, written without a journal: after a failure it is useless and must be deleted. */
export function createSqliteTarget(path: string): BulkTarget {
  let database: Database.Database;
  return {
    async create(migrations) {
      const product = await openSqlite(path, migrations);
      await product.close();
      // otherwise the library refuses a database without a journal
      database = new Database(path).unsafeMode();
      for (const setting of [
        'journal_mode = DELETE',
        'journal_mode = OFF',
        'locking_mode = EXCLUSIVE',
        'synchronous = OFF',
        'foreign_keys = OFF',
        `cache_size = -${CACHE_KIBIBYTES}`,
        'threads = 2',
      ]) {
        database.pragma(setting);
      }
      const journalMode = database.pragma('journal_mode', { simple: true });
      if (journalMode !== 'off') throw new Error(`The journal mode is still ${journalMode}`);
    },
    async dropIndexes() {
      const indexes = database
        .prepare<[], { name: string; sql: string }>(
          "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid",
        )
        .all();
      for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
      return indexes.map(({ sql }) => sql);
    },
    async insert({ table, columns, rows }) {
      const places = columns.map(() => '?').join(', ');
      const insertOne = database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
      let count = 0;
      database.exec('BEGIN');
      for (const row of rows) {
        insertOne.run(row);
        count += 1;
      }
      database.exec('COMMIT');
      return count;
    },
    async createIndex(statement) {
      database.exec(statement);
    },
    async finish() {
      database.pragma('locking_mode = NORMAL');
      const journalMode = database.pragma('journal_mode = WAL', { simple: true });
      if (journalMode !== 'wal') throw new Error(`The journal mode is ${journalMode}, not wal`);
      database.close();
    },
  };
}
