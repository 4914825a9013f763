import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimKeys } from '../../src/app/claims.ts';
import type { Database, Transaction } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createTestDatabase, engines, type TestDatabase } from '../helpers/databases.ts';

const KEYS = ['a', 'b', 'c', 'd'];

/**
 * Reads the amounts of some keys and raises them, and may fail before or after that, or because the database refuses a
 * write that it does not wait for.
 */
interface RandomUnit {
  keys: string[];
  fails: 'never' | 'first' | 'half-way' | 'last' | 'unawaited' | 'with the commit';
  /** Looks up ahead, and does not wait for its writes. */
  isHasty: boolean;
  /** Which of the processes runs it. */
  process: number;
  /** Other units may be committing by then. */
  startsAfterMs: number;
  /** On SQLite, units that have not begun after a while are left to another commit, and a long one takes several turns. */
  takesMs: number;
}

const unitArbitrary: fc.Arbitrary<RandomUnit> = fc.record({
  keys: fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 }),
  fails: fc.constantFrom('never', 'never', 'never', 'first', 'half-way', 'last', 'unawaited', 'with the commit'),
  isHasty: fc.boolean(),
  process: fc.nat(1),
  startsAfterMs: fc.nat(5),
  takesMs: fc.constantFrom(0, 0, 0, 0, 0, 5, 5, 14),
});

function compute(forMs: number): void {
  const endAt = performance.now() + forMs;
  while (performance.now() < endAt);
}

const amountOf = async (tx: Transaction, key: string) =>
  (await tx.get<{ amount: number }>('SELECT amount FROM things WHERE key = @key', { key }))?.amount ?? 0;

async function raise(tx: Transaction, { keys, fails, isHasty, takesMs }: RandomUnit): Promise<void> {
  await tx.claim(() => keys.map(claimKeys.payment));
  if (isHasty) tx.lookAhead((ahead) => Promise.all(keys.map((key) => amountOf(ahead, key))));
  compute(takesMs);
  if (fails === 'first') throw new Error('planned');
  const amounts = await Promise.all(keys.map((key) => amountOf(tx, key)));
  for (const [index, key] of keys.entries()) {
    const amount = (amounts[index] ?? 0) + 1;
    const write = tx.run('UPDATE things SET amount = @amount WHERE key = @key', { key, amount });
    if (isHasty) tx.unawaited(write);
    else await write;
    if (fails === 'unawaited') tx.unawaited(tx.run('INSERT INTO things (key, amount) VALUES (@key, 0)', { key }));
    if (fails === 'half-way') throw new Error('planned');
  }
  tx.last('total', isHasty ? raiseTotalHastily : raiseTotal, keys.length);
  if (fails === 'with the commit') tx.last('refused', addRefused, keys);
  if (fails === 'last') throw new Error('planned');
}

const addToTotal = (tx: Transaction, added: readonly number[]) =>
  tx.run("UPDATE things SET amount = amount + @amount WHERE key = 'total'", {
    amount: added.reduce((sum, one) => sum + one, 0),
  });

async function raiseTotal(tx: Transaction, added: readonly number[]): Promise<void> {
  await addToTotal(tx, added);
}

async function addRefused(tx: Transaction, [[key = ''] = []]: readonly string[][]): Promise<void> {
  tx.unawaited(tx.run('INSERT INTO things (key, amount) VALUES (@key, 0)', { key }));
}

async function raiseTotalHastily(tx: Transaction, added: readonly number[]): Promise<void> {
  tx.unawaited(addToTotal(tx, added));
}

describe.each(engines)('random units of work in random batches on %s', (engine) => {
  let test: TestDatabase;
  let processes: Database[];

  beforeAll(async () => {
    test = await createTestDatabase(engine);
    const second = engine === 'postgres' ? [await openDatabase(test.url)] : [];
    processes = [test.database, ...second];
    await test.database.write((tx) => tx.run('CREATE TABLE things (key TEXT PRIMARY KEY, amount BIGINT)'));
    for (const key of [...KEYS, 'total']) {
      await test.database.write((tx) => tx.run('INSERT INTO things (key, amount) VALUES (@key, 0)', { key }));
    }
  });
  afterAll(async () => {
    await processes[1]?.close();
    await test.remove();
  });

  it('have the result of a model in which each runs alone or not at all', async () => {
    const model = new Map([...KEYS, 'total'].map((key) => [key, 0]));
    const units = fc.array(unitArbitrary, { minLength: 1, maxLength: 40 });
    const history = fc.asyncProperty(units, async (batch) => {
      const ended = await Promise.allSettled(
        batch.map(async (unit) => {
          await sleep(unit.startsAfterMs);
          return (processes[unit.process] ?? test.database).write((tx) => raise(tx, unit));
        }),
      );
      for (const [index, { keys, fails }] of batch.entries()) {
        expect(ended[index]?.status).toBe(fails === 'never' ? 'fulfilled' : 'rejected');
        if (fails !== 'never') continue;
        for (const key of keys) model.set(key, (model.get(key) ?? 0) + 1);
        model.set('total', (model.get('total') ?? 0) + keys.length);
      }
      const rows = await test.database.read((tx) =>
        tx.all<{ key: string; amount: number }>('SELECT key, amount FROM things'),
      );
      expect(new Map(rows.map(({ key, amount }) => [key, amount]))).toEqual(model);
    });
    await fc.assert(history, { numRuns: 40, endOnFailure: true });
  });
});
