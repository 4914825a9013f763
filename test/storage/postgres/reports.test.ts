import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { createPostgresProxy } from '../../helpers/postgres-proxy.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';

const noConnection = { code: 'UNAVAILABLE', status: 503, message: expect.stringContaining('No database connection') };
const tooSlow = { code: 'UNAVAILABLE', status: 503, message: expect.stringContaining('a shorter period') };

describe('reports on PostgreSQL', () => {
  let test: TestDatabase;
  let locking: pg.Client;
  const blocked = (tx: Transaction) => tx.all('SELECT id FROM programs');
  beforeEach(async () => {
    test = await createTestDatabase('postgres');
    locking = new pg.Client({ connectionString: test.url });
    await locking.connect();
  });
  afterEach(async () => {
    await locking.end();
    await test.remove();
  });

  it('that are blocked do not delay lookups, even five at once', async () => {
    await locking.query('BEGIN; LOCK TABLE programs');
    let settled = 0;
    const reports = Array.from({ length: 5 }, () =>
      test.database.report(blocked).finally(() => {
        settled += 1;
      }),
    );
    const ends = Promise.allSettled(reports);
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 5 }, () => test.database.read((tx) => tx.all('SELECT id FROM api_keys'))));
    }
    expect(settled).toBe(0);
    await locking.query('ROLLBACK');
    expect((await ends).map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'));
  });

  it('that wait too long for a connection are refused, and the message says so', async () => {
    const sleeping = [1, 2].map(() =>
      test.database.report((tx) => tx.get("SELECT 'slept' || CAST(pg_sleep(3) AS TEXT) AS slept")),
    );
    await expect(test.database.report(blocked)).rejects.toMatchObject(noConnection);
    await Promise.all(sleeping);
    expect(await test.database.report(blocked)).toEqual([]);
  });

  it('that may take longer than a list take turns, and leave a connection to lists', async () => {
    await locking.query('BEGIN; LOCK TABLE programs');
    const long = () => test.database.report(blocked, { deadlineMs: 60_000 });
    const runs = [long(), long(), long()];
    const sameTime = [1, 2].map(() => test.database.report((tx) => tx.all('SELECT id FROM api_keys')));
    expect(await Promise.all(sameTime)).toEqual([[], []]);
    await locking.query('ROLLBACK');
    expect(await Promise.all(runs)).toEqual([[], [], []]);
  });

  it('that never get an answer take no lists down, and others like them are refused', async () => {
    const proxy = await createPostgresProxy(test.url);
    const database = await openDatabase(proxy.url);
    await locking.query('BEGIN; LOCK TABLE programs');
    // longer than that of a list, and than the other waits for its turn
    const silent = [1, 2].map(() => database.report(blocked, { deadlineMs: 6_000 }));
    const ends = Promise.allSettled(silent);
    const isBlocked = async () => {
      const sql = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      return (await executeOnServer(test.url, sql)).length > 0;
    };
    await expect.poll(isBlocked).toBe(true);
    proxy.swallowAll();
    const swallowed = proxy.answerSwallowed();
    await locking.query('ROLLBACK');
    await swallowed;
    proxy.mend();
    expect(await database.report(blocked)).toEqual([]);
    expect(await ends).toMatchObject([
      { status: 'rejected', reason: tooSlow },
      { status: 'rejected', reason: noConnection },
    ]);
    await database.close();
    await proxy.close();
  });

  it('are stopped by the server at their deadline, which may be longer than that of other statements', async () => {
    const timeout = async (tx: Transaction) =>
      (await tx.get<{ at: string }>("SELECT current_setting('statement_timeout') AS at"))?.at;
    expect(await test.database.report(timeout)).toBe('4s');
    expect(await test.database.report(timeout, { deadlineMs: 600_000 })).toBe('10min');
    expect(await test.database.report(timeout)).toBe('4s');
    const sleep = (tx: Transaction) => tx.get('SELECT CAST(pg_sleep(60) AS TEXT) AS slept');
    await expect(test.database.report(sleep, { deadlineMs: 300 })).rejects.toMatchObject(tooSlow);
    // with two connections, neither may still be asleep
    const both = [1, 2].map(() => test.database.report(blocked));
    expect(await Promise.all(both)).toEqual([[], []]);
  });

  it('like everything else, are not compiled just in time', async () => {
    const { write, read, report, snapshot, bulk } = test.database;
    const jit = async (tx: Transaction) => (await tx.get<{ jit: string }>("SELECT current_setting('jit') AS jit"))?.jit;
    const ways = [write(jit), write(jit, { alone: true }), read(jit), report(jit), snapshot(jit), bulk(jit)];
    expect(await Promise.all(ways)).toEqual(ways.map(() => 'off'));
  });
});
