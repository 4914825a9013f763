import { statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadMigrations, type MigrationEvent } from '../../src/storage/migrate.ts';
import { openDatabase, sqlitePathOf } from '../../src/storage/open.ts';
import { startChild } from '../helpers/child-process.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { executeOnServer } from '../helpers/postgres-server.ts';

const CHILD = new URL('./children/migrate.ts', import.meta.url);
const FIRST = 'CREATE TABLE firsts (id TEXT PRIMARY KEY);\nCREATE INDEX firsts_id ON firsts (id);';
const SECOND = 'ALTER TABLE firsts ADD COLUMN note TEXT;';
/** A slow migration, of which no part may become visible before the end. */
const SLOW = `CREATE TABLE slow (i BIGINT);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) INSERT INTO slow (i) SELECT i FROM n;`;

/** True once rows are being written by the slow migration, before it is committed. */
async function isInProgress(url: string): Promise<boolean> {
  const path = sqlitePathOf(url);
  if (path !== null) return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000;
  const sql =
    "SELECT pid FROM pg_stat_activity WHERE query LIKE '%INTO slow%' AND query_start < now() - INTERVAL '100 ms'";
  return (await executeOnServer(url, `${sql} AND datname = current_database() AND pid <> pg_backend_pid()`)).length > 0;
}

let folderPath: string;
let folder: URL;
const write = (name: string, sql: string) => writeFile(join(folderPath, name), sql);

beforeEach(async () => {
  folderPath = await mkdtemp(join(tmpdir(), 'refbridge-migrations-'));
  folder = pathToFileURL(`${folderPath}/`);
  await write('0001_first.sql', FIRST);
});
afterEach(() => rm(folderPath, { recursive: true }));

describe.each(engines)('migrations on %s', (engine) => {
  let empty: { url: string; remove(): Promise<void> };
  const versionAfterOpening = async () => {
    const database = await openDatabase(empty.url, { migrationsFolder: folder });
    await database.close();
    return database.schemaVersion;
  };
  const applied = async () => {
    const database = await openDatabase(empty.url, { migrationsFolder: folder });
    const rows = await database.read((tx) =>
      tx.all('SELECT version, name, applied_at FROM schema_migrations ORDER BY version'),
    );
    await database.close();
    return rows;
  };

  beforeEach(async () => {
    empty = await createEmptyDatabase(engine);
  });
  afterEach(() => empty.remove());

  it('are applied once, in order, and recorded', async () => {
    await write('0002_second.sql', SECOND);
    const before = Date.now();
    const rows = await applied();
    expect(rows).toEqual([
      { version: 1, name: 'first', applied_at: expect.any(Number) },
      { version: 2, name: 'second', applied_at: expect.any(Number) },
    ]);
    expect((rows[0] as { applied_at: number }).applied_at).toBeGreaterThanOrEqual(before);
    expect(await applied()).toEqual(rows);
  });

  it('are added to a database that has earlier ones and data', async () => {
    const database = await openDatabase(empty.url, { migrationsFolder: folder });
    await database.write((tx) => tx.run("INSERT INTO firsts (id) VALUES ('kept')"));
    await database.close();
    await write('0002_second.sql', SECOND);
    const announced: MigrationEvent[] = [];
    const announce = (event: MigrationEvent) => announced.push(event);
    const again = await openDatabase(empty.url, { migrationsFolder: folder, announce });
    const second = { version: 2, name: 'second' };
    expect(announced).toEqual([
      { kind: 'planned', migrations: [second], seconds: 0, diskBytes: 0 },
      { kind: 'started', ...second, statementCount: 1 },
      { kind: 'finished', ...second, seconds: 0 },
    ]);
    expect(await again.read((tx) => tx.get('SELECT * FROM firsts'))).toEqual({ id: 'kept', note: null });
    await again.close();
  });

  it('leave statistics on PostgreSQL when the database has data, and none on SQLite', async () => {
    await (await openDatabase(empty.url, { migrationsFolder: folder })).close();
    await write('0002_filled.sql', "INSERT INTO firsts (id) VALUES ('a'), ('b'), ('c');");
    const database = await openDatabase(empty.url, { migrationsFolder: folder });
    const rows = await database.read((tx) =>
      engine === 'postgres'
        ? tx.all("SELECT reltuples AS rows FROM pg_class WHERE relname = 'firsts'")
        : tx.all("SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'"),
    );
    expect(rows).toEqual(engine === 'postgres' ? [{ rows: 3 }] : []);
    await database.close();
  });

  it.each(['no statistics', 'statistics of empty tables'])(
    'are planned for the number of rows, with %s',
    async (has) => {
      const cost =
        '-- cost: 30000 s and 1000000 MB per million rows of firsts\n-- cost: 9 s and 9 MB per million rows of none\n';
      await write('0001_first.sql', `${FIRST}\nCREATE TABLE strict (id TEXT PRIMARY KEY) /* sqlite: WITHOUT ROWID */;`);
      const database = await openDatabase(empty.url, { migrationsFolder: folder });
      if (has !== 'no statistics') await database.write((tx) => tx.run('ANALYZE'), { alone: true });
      for (const table of ['firsts', 'strict']) {
        const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)';
        await database.write((tx) => tx.run(`INSERT INTO ${table} (id) ${numbers} SELECT 'id ' || i FROM n`));
      }
      await database.close();
      await write('0002_second.sql', `${cost}${SECOND}`);
      await write(
        '0003_third.sql',
        '-- cost: 20000 s and 0 MB per million rows of strict\nCREATE TABLE thirds (id TEXT);',
      );
      const planned: MigrationEvent[] = [];
      const announce = (event: MigrationEvent) => event.kind === 'planned' && planned.push(event);
      await (await openDatabase(empty.url, { migrationsFolder: folder, announce })).close();
      // SQLite writes everything twice, to its log and to the file
      const diskBytes = 100_000_000 * (engine === 'sqlite' ? 2 : 1);
      const migrations = [
        { version: 2, name: 'second' },
        { version: 3, name: 'third' },
      ];
      expect(planned).toEqual([{ kind: 'planned', migrations, seconds: 5, diskBytes }]);
    },
  );

  it('are not announced for a new database', async () => {
    const announced: MigrationEvent[] = [];
    const announce = (event: MigrationEvent) => announced.push(event);
    await (await openDatabase(empty.url, { migrationsFolder: folder, announce })).close();
    expect(announced).toEqual([]);
  });

  it('refuse a schema that a newer release has created, and say so', async () => {
    await write('0002_second.sql', SECOND);
    await versionAfterOpening();
    await rm(join(folderPath, '0002_second.sql'));
    await expect(versionAfterOpening()).rejects.toThrow('has schema version 2, but this program knows only 1');
  });

  it('refuse a migration that was changed after it was applied, and name it', async () => {
    await versionAfterOpening();
    await write('0001_first.sql', `${FIRST}\n-- an afterthought`);
    await expect(versionAfterOpening()).rejects.toThrow('Migration 1 (first) was changed');
  });

  it('leave nothing behind when one fails, and continue once it is fixed', async () => {
    await write('0002_second.sql', `${SECOND}\nINSERT INTO nowhere (id) VALUES (1);`);
    await expect(versionAfterOpening()).rejects.toThrow(/nowhere/);
    await write('0002_second.sql', SECOND);
    expect(await versionAfterOpening()).toBe(2);
  });

  it('run once when three processes start at the same moment, and another may only create the database', async () => {
    await write('0002_slow.sql', SLOW);
    const children = [1, 2, 3].map(() => startChild(CHILD, [empty.url, folder.href]));
    while (!(await isInProgress(empty.url))) await sleep(10);
    await (await openDatabase(empty.url, { migrationsFolder: folder, schema: 'create' })).close();
    const ends = await Promise.all(children.map(({ ended }) => ended));
    expect(ends.map(({ output }) => output)).toEqual(Array.from({ length: 3 }, () => 'begin\nversion 2\n'));
    expect(await applied()).toHaveLength(2);
  });

  it('are rolled back when the process is killed, and the next start completes them', async () => {
    await write('0002_slow.sql', SLOW);
    const child = startChild(CHILD, [empty.url, folder.href]);
    await child.printed('begin');
    while (!(await isInProgress(empty.url))) await sleep(10);
    child.process.kill('SIGKILL');
    const { signal, output } = await child.ended;
    expect({ signal, output }).toEqual({ signal: 'SIGKILL', output: 'begin\n' });
    const database = await openDatabase(empty.url, { migrationsFolder: folder });
    expect(await database.read((tx) => tx.get('SELECT COUNT(*) AS count FROM slow'))).toEqual({ count: 1_000_000 });
    expect(database.schemaVersion).toBe(2);
    await database.close();
  });
});

describe('a migration of a SQLite file', () => {
  let empty: { url: string; remove(): Promise<void> };
  beforeEach(async () => {
    empty = await createEmptyDatabase('sqlite');
    const database = await openDatabase(empty.url, { migrationsFolder: folder });
    await database.write((tx) => tx.run("INSERT INTO firsts (id) VALUES ('kept')"));
    await database.close();
  });
  afterEach(() => empty.remove());
  const path = () => sqlitePathOf(empty.url) ?? '';

  it('is refused when the disk has too little space for it, and nothing is changed', async () => {
    await write('0002_second.sql', `-- cost: 1 s and 900000000000000 MB per million rows of firsts\n${SECOND}`);
    const opening = openDatabase(empty.url, { migrationsFolder: folder });
    await expect(opening).rejects.toThrow(/needs about 1800000000 MB of free disk space, but only \d+ MB are free/);
    const file = new BetterSqlite3(path());
    expect(file.prepare('SELECT version FROM schema_migrations').all()).toEqual([{ version: 1 }]);
    expect(file.prepare('SELECT * FROM firsts').all()).toEqual([{ id: 'kept' }]);
    file.close();
  });

  it('leaves no log as large as its changes', async () => {
    await write('0002_slow.sql', SLOW);
    const database = await openDatabase(empty.url, { migrationsFolder: folder });
    expect(statSync(`${path()}-wal`).size).toBe(0);
    await database.close();
  });

  it('that is killed between two statements has changed nothing', async () => {
    await write('0002_slow.sql', `${SECOND}\n${SLOW}`);
    const child = startChild(CHILD, [empty.url, folder.href]);
    await child.printed('begin');
    while (!(await isInProgress(empty.url))) await sleep(10);
    child.process.kill('SIGKILL');
    await child.ended;
    const file = new BetterSqlite3(path());
    expect(file.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(file.prepare('SELECT version FROM schema_migrations').all()).toEqual([{ version: 1 }]);
    expect(file.prepare('SELECT * FROM firsts').all()).toEqual([{ id: 'kept' }]);
    expect(file.prepare("SELECT name FROM sqlite_schema WHERE name = 'slow'").all()).toEqual([]);
    file.close();
  });
});

describe('the folder of migrations', () => {
  it('is numbered from 1 without a gap', async () => {
    await write('0003_third.sql', SECOND);
    await expect(loadMigrations(folder)).rejects.toThrow('0003_third.sql should be number 2');
  });

  it('contains no .sql file with another name', async () => {
    await write('0002-second.sql', SECOND);
    await expect(loadMigrations(folder)).rejects.toThrow('0002-second.sql should be number 2');
  });

  it('of the program is complete: every table that it creates exists after opening', async () => {
    const migrations = await loadMigrations();
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
    expect(migrations.length).toBeGreaterThan(0);
  });
});
