import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadMigrations } from '../../../src/storage/migrate.ts';
import { openPostgres } from '../../../src/storage/postgres/database.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';

/** A table whose statistics take longer than the limit of the database's users, as those of large tables do. */
const SLOW_TABLE = `
  CREATE FUNCTION slowly(id TEXT) RETURNS TEXT IMMUTABLE LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(0.5); RETURN id; END $$;
  CREATE TABLE slow (id TEXT);
  CREATE INDEX slow_id ON slow (slowly(id));`;

describe('statistics on PostgreSQL, where its users have a time limit', () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase('postgres');
    await executeOnServer(test.url, SLOW_TABLE);
    const name = new URL(test.url).pathname.slice(1);
    await executeOnServer(test.url, `ALTER DATABASE ${name} SET statement_timeout = '250ms'`);
  });
  afterEach(() => test.remove());

  const countedRows = async () =>
    executeOnServer(test.url, "SELECT CAST(reltuples AS INTEGER) AS rows FROM pg_class WHERE relname = 'slow'");
  const openPooled = async (sql: string) => {
    const migrations = await loadMigrations();
    const next = { version: migrations.length + 1, name: 'next', sql: `-- cost: none\n${sql}`, checksum: 'x' };
    return openPostgres(`${test.url}?pgbouncer=true`, [...migrations, next]);
  };
  const INSERT = "INSERT INTO slow (id) VALUES ('a')";

  it('are gathered after a bulk transaction', async () => {
    await test.database.bulk((tx) => tx.run(INSERT));
    expect(await countedRows()).toEqual([{ rows: 1 }]);
  });

  it('are gathered after a migration', async () => {
    await (await openPooled(INSERT)).close();
    expect(await countedRows()).toEqual([{ rows: 1 }]);
  });

  it('that cannot be gathered do not fail what is stored', async () => {
    await executeOnServer(
      test.url,
      `CREATE OR REPLACE FUNCTION slowly(id TEXT) RETURNS TEXT IMMUTABLE LANGUAGE plpgsql AS
      $$ BEGIN IF (SELECT count(*) FROM slow) > 0 THEN RAISE 'on purpose'; END IF; RETURN id; END $$`,
    );
    await test.database.bulk((tx) => tx.run(INSERT));
    expect(await countedRows()).not.toEqual([{ rows: 1 }]);
  });
});
