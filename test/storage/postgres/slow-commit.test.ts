import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';

const put = (tx: Transaction, key: string) => tx.run('INSERT INTO things (key) VALUES (@key)', { key });
/** The same for all units that share a transaction. */
const transactionOf = async (tx: Transaction) =>
  (await tx.get<{ id: string }>('SELECT CAST(pg_current_xact_id() AS TEXT) AS id'))?.id ?? '';

describe('units beside a slow commit on PostgreSQL', () => {
  let test: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    test = await createTestDatabase('postgres');
    database = test.database;
    await database.write((tx) => tx.run('CREATE TABLE things (key TEXT PRIMARY KEY)'));
  });
  afterEach(() => test.remove());

  /** A commit takes that long when its transaction has put a key that begins with `slow`. */
  async function slowDown(seconds: number): Promise<void> {
    const sleeps = `BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END`;
    await database.write((tx) => tx.run(`CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS '${sleeps}'`));
    await database.write((tx) =>
      tx.run(`CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON things DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.key LIKE 'slow%') EXECUTE FUNCTION sleep()`),
    );
  }

  /** Settles when the commit of `slow` has begun, so that no unit can share it any more. */
  async function slowCommits(): Promise<void> {
    const sql = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()
      UNION SELECT 1 FROM things WHERE key = 'slow'`;
    await expect.poll(() => executeOnServer(test.url, sql), { interval: 5 }).toHaveLength(1);
  }

  it('wait at most a second for a slow commit before them, also those that come later', async () => {
    await slowDown(4);
    const ended: string[] = [];
    const later = async (key: string, ms: number) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await database.write((tx) => put(tx, key));
      ended.push(key);
    };
    const slow = later('slow', 0);
    await slowCommits();
    await Promise.all([slow, later('soon', 0), later('late', 1_400), later('later', 1_900)]);
    expect(ended).toEqual(['soon', 'late', 'later', 'slow']);
    expect(new Set(await Promise.all([1, 2, 3].map(() => database.write(transactionOf)))).size).toBe(1);
  });

  it('share a commit after it, if there are more of them than connections to run alone on', async () => {
    await slowDown(2.2);
    const slow = database.write((tx) => put(tx, 'slow'));
    await slowCommits();
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    const sleeping = Array.from({ length: 10 }, () => database.write((tx) => tx.get('SELECT pg_sleep(4)')));
    const waiting = Array.from({ length: 20 }, () => database.write(transactionOf));
    expect(new Set(await Promise.all(waiting)).size).toBe(1);
    await Promise.all([slow, ...sleeping]);
  });

  it('are refused after a while if those that run alone are slow, too', async () => {
    const sleep = (seconds: number, times: number) =>
      database.write(async (tx) => {
        for (let nth = 0; nth < times; nth += 1) await tx.get(`SELECT pg_sleep(${seconds})`);
      });
    const slow = sleep(0.6, 14);
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    let isAnyAwake = false;
    const sleeping = Array.from({ length: 10 }, async () => {
      await sleep(3, 2);
      isAnyAwake = true;
    });
    const refusal = { code: 'UNAVAILABLE', message: expect.stringMatching(/^Too many writes are waiting/) };
    await expect(database.write((tx) => put(tx, 'waits'))).rejects.toMatchObject(refusal);
    expect(isAnyAwake).toBe(false);
    await Promise.all([slow, ...sleeping]);
    expect(await database.write((tx) => put(tx, 'waits'))).toBe(1);
  });

  it('know that they are stored, even if this process paused while the answer arrived', async () => {
    await slowDown(0.3);
    const stored = database.write((tx) => put(tx, 'slow'));
    const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_300);
    // timers come next in the event loop, and the answer only after them
    setTimeout(() => setImmediate(pause), 150);
    expect(await stored).toBe(1);
  });

  it('share a commit while each takes most of a second, however many follow each other', async () => {
    await slowDown(0.7);
    const slow = database.write((tx) => put(tx, 'slow'));
    await slowCommits();
    const next = database.write((tx) => put(tx, 'slow, too'));
    await slow;
    await new Promise((resolve) => setTimeout(resolve, 550));
    const shared = await Promise.all([1, 2, 3].map(() => database.write(transactionOf)));
    expect(new Set(shared).size).toBe(1);
    await next;
  });
});
