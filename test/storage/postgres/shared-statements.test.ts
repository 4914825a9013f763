import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimKeys } from '../../../src/app/claims.ts';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { type ObservedPostgres, observePostgres } from '../../helpers/postgres-traffic.ts';

const put = (tx: Transaction, key: string) => tx.run('INSERT INTO things (key) VALUES (@key)', { key });
const find = (tx: Transaction, key: string) => tx.all('SELECT key FROM things WHERE key = @key', { key });
const claim = (tx: Transaction, ...keys: string[]) => tx.claim(() => keys.map(claimKeys.payment));
const LOCKS = /pg_try_advisory_xact_lock/;

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
