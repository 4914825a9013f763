import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadMigrations, type Migration, type MigrationEvent, PROGRESS_MS } from '../../../src/storage/migrate.ts';
import { openPostgres } from '../../../src/storage/postgres/database.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { createPostgresProxy } from '../../helpers/postgres-proxy.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';

const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
const READ_LIMITS = `SELECT name, setting FROM pg_settings WHERE name IN (${LIMITS.map((name) => `'${name}'`)})`;
/** No statement is too slow, but a transaction without statements loses its locks: its machine may have vanished. */
const EXPECTED = [
  { name: 'idle_in_transaction_session_timeout', setting: '60000' },
  { name: 'lock_timeout', setting: '0' },
  { name: 'statement_timeout', setting: '0' },
];

describe('a process on PostgreSQL whose machine vanishes', () => {
  let test: TestDatabase;
  let migrations: Migration[];
  beforeEach(async () => {
    test = await createTestDatabase('postgres');
    migrations = await loadMigrations();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await test.remove();
  });

  const migrationOf = (sql: string): Migration => ({
    version: migrations.length + 1,
    name: 'next',
    sql,
    checksum: 'x',
  });

  it('keeps the locks of a bulk transaction for a minute', async () => {
    expect(await test.database.bulk((tx) => tx.all(`${READ_LIMITS} ORDER BY name`))).toEqual(EXPECTED);
  });

  it('keeps the locks of a migration for a minute', async () => {
    const next = migrationOf(`-- cost: none\nCREATE TABLE limits AS ${READ_LIMITS}`);
    const migrated = await openPostgres(test.url, [...migrations, next]);
    const limits = await migrated.read((tx) => tx.all('SELECT name, setting FROM limits ORDER BY name'));
    await migrated.close();
    expect(limits).toEqual(EXPECTED);
  });

  it('lets another one say that it waits, and migrate then', async () => {
    const proxy = await createPostgresProxy(test.url);
    const all = [...migrations, migrationOf('-- cost: none\nCREATE TABLE nexts (id TEXT)')];
    const vanished = openPostgres(proxy.url, all, {
      announce: ({ kind }) => void (kind === 'started' && proxy.swallowAll()),
    });
    vanished.catch(() => {});
    await expect.poll(isIdleInTransaction).toBe(true);
    const events: MigrationEvent['kind'][] = [];
    const waiting = Promise.withResolvers<void>();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const other = openPostgres(test.url, all, {
      announce({ kind }) {
        events.push(kind);
        if (kind === 'waiting') waiting.resolve();
      },
    });
    await expect.poll(waitsForLock).toBe(true);
    vi.advanceTimersByTime(PROGRESS_MS);
    vi.useRealTimers();
    await waiting.promise;
    // as the server does after the minute
    await proxy.close();
    await expect(vanished).rejects.toThrow();
    const database = await other;
    expect(events).toEqual(['planned', 'waiting', 'started', 'finished']);
    expect(database.schemaVersion).toBe(all.length);
    await database.close();
  }, 50_000);

  const isAnyProcess = async (condition: string) => {
    const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND ${condition}`;
    return (await executeOnServer(test.url, sql)).length > 0;
  };
  const isIdleInTransaction = () => isAnyProcess("state = 'idle in transaction'");
  const waitsForLock = () => isAnyProcess("wait_event_type = 'Lock'");
});
