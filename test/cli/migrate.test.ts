import { existsSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadMigrations } from '../../src/storage/migrate.ts';
import { openDatabase, sqlitePathOf } from '../../src/storage/open.ts';
import { acquireServeLock } from '../../src/storage/sqlite/lock.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { migrationsBefore } from '../helpers/earlier-migrations.ts';
import { createWorkplace, type Workplace } from './run-cli.ts';

const NEWEST = (await loadMigrations()).length;
const OLDER = NEWEST - 2;

let earlier: Awaited<ReturnType<typeof migrationsBefore>>;
beforeAll(async () => {
  earlier = await migrationsBefore(String(OLDER + 1).padStart(4, '0'));
});
afterAll(() => earlier.remove());

describe.each(engines)('a database of an earlier version, on %s', (engine) => {
  let empty: { url: string; remove(): Promise<void> };
  let workplace: Workplace;
  const versionOf = async () => {
    const database = await openDatabase(empty.url, { migrationsFolder: earlier.folder });
    await database.close();
    return database.schemaVersion;
  };

  beforeEach(async () => {
    empty = await createEmptyDatabase(engine);
    workplace = createWorkplace({ DATABASE_URL: empty.url, SECRET_KEY: '0'.repeat(64) });
    expect(await versionOf()).toBe(OLDER);
  });
  afterEach(async () => {
    await workplace.remove();
    await empty.remove();
  });

  it.each([
    [['sales', 'list']],
    [['setup']],
    [['accounts', 'create', '--name', 'Second Ltd']],
    [['payouts', 'run']],
    [['doctor']],
  ])('is left alone by %j, which names both versions and says what to do', async (words) => {
    const { exitCode, stdout, stderr } = await workplace.run(words);
    const output = `${stdout}${stderr}`;
    expect(output).toContain(`The database has schema version ${OLDER}, but this program needs ${NEWEST}`);
    expect(output).toContain('npm run refbridge -- migrate --backup <file>');
    expect(output).toContain('On PostgreSQL, run pg_dump and then');
    expect(exitCode).toBe(4);
    // opening it with the earlier migrations fails if it has more of them
    expect(await versionOf()).toBe(OLDER);
  });

  it('is migrated by migrate, which announces its cost first and has nothing to do afterwards', async () => {
    const { exitCode, stderr } = await workplace.run(['migrate']);
    expect(stderr).toMatch(/^To migrate: \d+ \w+, \d+ \w+. This takes about \d+ s and \d+ MB of free disk space\.\n/);
    expect(stderr).toContain(`was migrated from schema version ${OLDER} to ${NEWEST}.`);
    expect(exitCode).toBe(0);
    expect(await workplace.json('migrate')).toEqual({ before: NEWEST, after: NEWEST, migrations: [], backup: null });
    expect((await workplace.run(['setup'])).exitCode).toBe(0);
    expect((await workplace.run(['sales', 'list'])).exitCode).toBe(0);
  });
});

/** The rows that a link needs, in the order of their references. */
const ROWS = [
  "INSERT INTO accounts (id, name, created_at) VALUES ('acc_1', 'Example Ltd', 1)",
  `INSERT INTO programs (id, account_id, name, description, commission, hold_days, minimum_payout, amount_basis,
     email_matching, self_referral, tracked_hosts, portal, created_at)
   VALUES ('prg_1', 'acc_1', 'Partners', '', '{}', 30, '{}', 'net', 0, 'off', '[]', '{}', 1)`,
  `INSERT INTO partners (id, account_id, program_id, name, email, status, created_at)
   VALUES ('ptr_1', 'acc_1', 'prg_1', 'Pia', 'pia@example.com', 'active', 1)`,
  `INSERT INTO links (id, account_id, program_id, partner_id, domain, key, url, created_at)
   VALUES ('lnk_1', 'acc_1', 'prg_1', 'ptr_1', 'go.example.com', 'Compat', 'https://shop.example.com/', 1)`,
];

it.each(engines)(
  'a link whose key is now reserved stops the migration of %s, by command and by server',
  async (engine) => {
    const { url, remove } = await createEmptyDatabase(engine);
    const workplace = createWorkplace({ DATABASE_URL: url, SECRET_KEY: '0'.repeat(64), PORT: '0' });
    const inEarlier = async (sqls: readonly string[]) => {
      const database = await openDatabase(url, { migrationsFolder: earlier.folder });
      await database.write(async (tx) => {
        for (const sql of sqls) await tx.run(sql);
      });
      await database.close();
    };
    await inEarlier(ROWS);
    for (const command of ['migrate', 'serve']) {
      const { exitCode, stdout, stderr } = await workplace.run([command]);
      expect(`${stdout}${stderr}`).toContain('go.example.com/Compat (lnk_1). Nothing was changed.');
      expect(exitCode).not.toBe(0);
    }
    await inEarlier(["UPDATE links SET key = 'compatible'"]);
    expect((await workplace.run(['migrate'])).exitCode).toBe(0);
    await workplace.remove();
    await remove();
  },
);

describe('refbridge migrate on SQLite', () => {
  let empty: { url: string; remove(): Promise<void> };
  let workplace: Workplace;
  const path = () => sqlitePathOf(empty.url) ?? '';
  const versionIn = (file: string) => {
    const database = new BetterSqlite3(file, { readonly: true });
    const row = database.prepare('SELECT MAX(version) AS version FROM schema_migrations').get();
    database.close();
    return (row as { version: number }).version;
  };

  beforeEach(async () => {
    empty = await createEmptyDatabase('sqlite');
    workplace = createWorkplace({ DATABASE_URL: empty.url });
    await (await openDatabase(empty.url, { migrationsFolder: earlier.folder })).close();
  });
  afterEach(async () => {
    await workplace.remove();
    await empty.remove();
  });

  it('makes a backup with the earlier schema first', async () => {
    const backup = join(workplace.folder, 'before.db');
    const { before, after, ...rest } = await workplace.json('migrate', '--backup', backup);
    expect([before, after]).toEqual([OLDER, NEWEST]);
    expect(rest).toEqual({ migrations: [expect.anything(), expect.anything()], backup });
    expect([versionIn(backup), versionIn(path())]).toEqual([OLDER, NEWEST]);
  });

  it('changes nothing when the backup cannot be made', async () => {
    const { exitCode, stderr } = await workplace.run(['migrate', '--backup', path()]);
    expect(stderr).toContain('already exists, and a backup overwrites nothing');
    expect([exitCode, versionIn(path())]).toEqual([1, OLDER]);
  });

  it('changes nothing while a server is running', async () => {
    const lock = acquireServeLock(path());
    const { exitCode, stderr } = await workplace.run(['migrate']);
    lock.release();
    expect(stderr).toContain('Another server is running');
    expect([exitCode, versionIn(path())]).toEqual([1, OLDER]);
  });

  it('creates no database', async () => {
    const missing = join(workplace.folder, 'data', 'none.db');
    const { exitCode } = await workplace.run(['migrate'], { environment: { DATABASE_URL: `file:${missing}` } });
    expect([exitCode, existsSync(missing)]).toEqual([4, false]);
  });

  it('happens when serve starts, with a hint about the backup in its log', async () => {
    const server = workplace.start('serve');
    await server.saw(/about to migrate the database/);
    await server.saw(/migrate --backup <file>/);
    await server.saw(/listening/);
    await server.stop('SIGINT');
    expect(versionIn(path())).toBe(NEWEST);
  });
});
