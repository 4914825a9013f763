import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimKeys } from '../../../src/app/claims.ts';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';
import { type ObservedPostgres, observePostgres } from '../../helpers/postgres-traffic.ts';

const put = (tx: Transaction, key: string) => tx.run('INSERT INTO things (key) VALUES (@key)', { key });
const find = (tx: Transaction, key: string) => tx.all('SELECT key FROM things WHERE key = @key', { key });
const claim = (tx: Transaction, ...keys: string[]) => tx.claim(() => keys.map(claimKeys.payment));
const LOCKS = /pg_try_advisory_xact_lock/;
const LOOKS = /FROM things/;

let test: TestDatabase;
let observed: ObservedPostgres;
let database: Database;
beforeEach(async () => {
  test = await createTestDatabase('postgres');
  await test.database.write((tx) => tx.run('CREATE TABLE things (key TEXT PRIMARY KEY)'));
  observed = await observePostgres(test.url);
  database = await openDatabase(observed.url);
});
afterEach(async () => {
  await database.close();
  await observed.close();
  await test.remove();
});

async function statementsOf(pattern: RegExp, work: () => Promise<unknown>): Promise<number> {
  const { statements } = await observed.observe(work);
  return statements.filter((text) => pattern.test(text)).length;
}

it('look-ups that wait to be sent share a statement if they are the same, and no row', async () => {
  await test.database.write((tx) => put(tx, 'a'));
  const found: unknown[][] = [];
  const keys = ['a', 'b', 'a', 'b', 'a'];
  const count = await statementsOf(LOOKS, async () => {
    found.push(...(await Promise.all(keys.map((key) => database.read((tx) => find(tx, key))))));
  });
  expect(count).toBe(2);
  expect(found).toEqual([[{ key: 'a' }], [], [{ key: 'a' }], [], [{ key: 'a' }]]);
  expect(new Set(found.flat()).size).toBe(3);
});

it('look-ups of requests that arrive in one turn of the event loop share a statement', async () => {
  const count = await statementsOf(LOOKS, async () => {
    const first = database.read((tx) => find(tx, 'a'));
    // as between the requests of two sockets
    await new Promise((resolve) => process.nextTick(resolve));
    await Promise.all([first, database.read((tx) => find(tx, 'a'))]);
  });
  expect(count).toBe(1);
});

it('a look-up sees what was committed before it, although the same one is under way', async () => {
  const locking = new pg.Client({ connectionString: test.url });
  await locking.connect();
  await locking.query('SELECT pg_advisory_lock(1)');
  // sees what was committed when it began, not when it got the lock
  const held = (tx: Transaction) =>
    tx.all('SELECT pg_advisory_xact_lock_shared(1), (SELECT COUNT(*) FROM things) AS count');
  const countOf = async () => {
    const [row] = await database.read(held);
    return (row as { count: number }).count;
  };
  const underWay = async () => {
    const sql = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`;
    return (await executeOnServer(test.url, sql)).length > 0;
  };
  const first = countOf();
  await expect.poll(underWay).toBe(true);
  await test.database.write((tx) => put(tx, 'a'));
  const second = countOf();
  await locking.end();
  expect(await Promise.all([first, second])).toEqual([0, 1]);
});

it('look-ups that share a statement fail together, and the next one is sent', async () => {
  const fail = () => database.read((tx) => tx.all("SELECT CAST(key AS BIGINT) AS no FROM (VALUES ('x')) v (key)"));
  const failed = await Promise.allSettled([fail(), fail()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(fail()).rejects.toThrow('invalid input syntax');
});

it('units that start together lock their keys with one statement', async () => {
  const units = ['a', 'b', 'c', 'd'].map((key) => async (tx: Transaction) => {
    await claim(tx, key, `${key}2`);
    return find(tx, key);
  });
  expect(await statementsOf(LOCKS, () => Promise.all(units.map((unit) => database.write(unit))))).toBe(1);
});

it('a unit whose key another process holds leaves the units with which it shares the statement', async () => {
  const held = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const other = await openDatabase(test.url);
  const holder = other.write(
    async (tx) => {
      await claim(tx, 'b');
      // a claim is sent without waiting for its answer
      await find(tx, 'b');
      held.resolve();
      await mayEnd.promise;
    },
    { alone: true },
  );
  await held.promise;
  const runs = { a: 0, b: 0, c: 0 };
  const store = (key: keyof typeof runs) =>
    test.database.write(async (tx) => {
      runs[key] += 1;
      await claim(tx, key);
      await put(tx, key);
    });
  const [a, b, c] = [store('a'), store('b'), store('c')];
  await Promise.all([a, c]);
  mayEnd.resolve();
  await Promise.all([b, holder]);
  await other.close();
  expect(runs).toEqual({ a: 1, b: 2, c: 1 });
});

it('a connection parses each statement of a unit of work once, BEGIN and COMMIT included', async () => {
  const write = (key: string) =>
    database.write(async (tx) => {
      await claim(tx, key);
      await find(tx, key);
      await put(tx, key);
    });
  // a connection may reach the age at which its plans are discarded
  const ofUnit = (texts: string[]) => texts.filter((text) => text !== 'DISCARD PLANS');
  const first = await observed.observe(() => write('a'));
  expect(ofUnit(first.parsed)).toHaveLength(5);
  const second = await observed.observe(() => write('b'));
  expect(ofUnit(second.statements)).toEqual(ofUnit(first.statements));
  expect(ofUnit(second.parsed)).toEqual([]);
});
