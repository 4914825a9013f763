import pg from 'pg';
import { openPostgres } from '../../../../src/storage/postgres/database.ts';
import type { BulkTarget } from './fill.ts';
import type { Value } from './rows.ts';

/** Rows per statement. */
const BATCH_ROWS = 5_000;

/** An empty database; references are not checked while it is filled. */
export function createPostgresTarget(url: string): BulkTarget {
  const client = new pg.Client({ connectionString: url });
  return {
    async create(migrations) {
      const product = await openPostgres(url, migrations);
      await product.close();
      await client.connect();
      await client.query("SET session_replication_role = 'replica'");
      await client.query("SET synchronous_commit = 'off'");
      await client.query("SET maintenance_work_mem = '256MB'");
    },
    async dropIndexes() {
      const { rows } = await client.query<{ name: string; sql: string }>(
        `SELECT indexname AS name, indexdef AS sql FROM pg_indexes i
         WHERE schemaname = 'public' AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conname = i.indexname)`,
      );
      for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
      return rows.map(({ sql }) => sql);
    },
    async insert({ table, columns, rows }) {
      const names = columns.join(', ');
      const sql = `INSERT INTO ${table} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${table}, $1)`;
      const insertBatch = (batch: readonly (readonly Value[])[]) => client.query(sql, [recordsOf(columns, batch)]);
      let batch: (readonly Value[])[] = [];
      let count = 0;
      for (const row of rows) {
        batch.push(row);
        count += 1;
        if (batch.length < BATCH_ROWS) continue;
        await insertBatch(batch);
        batch = [];
      }
      await insertBatch(batch);
      return count;
    },
    async createIndex(statement) {
      await client.query(statement);
    },
    async finish() {
      await client.query('VACUUM (ANALYZE)');
      await client.end();
    },
  };
}

function recordsOf(columns: readonly string[], rows: readonly (readonly Value[])[]): string {
  return JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((column, place) => [column, row[place]]))));
}
