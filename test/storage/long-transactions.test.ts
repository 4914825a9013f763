import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transaction } from '../../src/storage/database.ts';
import { createTestDatabase, engines, type TestDatabase } from '../helpers/databases.ts';

const INSERT = 'INSERT INTO accounts (id, name, created_at) VALUES (@id, @id, 1)';
const idsOf = async (tx: Transaction) => {
  const rows = await tx.all<{ id: string }>('SELECT id FROM accounts ORDER BY id');
  return rows.map(({ id }) => id);
};

describe.each(engines)('long transactions, on %s', (engine) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase(engine);
  });
  afterAll(() => test.remove());

  it('a snapshot stays as it was, whatever is committed meanwhile, and may await anything', async () => {
    const { database } = test;
    await database.write((tx) => tx.run(INSERT, { id: 'first' }));
    const seen = await database.snapshot(async (tx) => {
      const before = await idsOf(tx);
      await database.write((other) => other.run(INSERT, { id: 'second' }));
      await sleep(1);
      return [before, await idsOf(tx)];
    });
    expect(seen).toEqual([['first'], ['first']]);
    expect(await database.snapshot(idsOf)).toEqual(['first', 'second']);
  });

  it('a snapshot has its state before its first query', async () => {
    const { database } = test;
    const seen = await database.snapshot(async (tx) => {
      await database.write((other) => other.run(INSERT, { id: 'third' }));
      return idsOf(tx);
    });
    expect(seen).toEqual(['first', 'second']);
    await database.write((tx) => tx.run("DELETE FROM accounts WHERE id = 'third'"));
  });

  if (engine === 'postgres') {
    const settings = (tx: Transaction) =>
      tx.get(`SELECT current_setting('enable_nestloop') AS "nestedLoops",
        current_setting('max_parallel_workers_per_gather') AS workers`);
    it('a snapshot whose queries join whole tables compares no row with each, even before there are statistics', async () => {
      expect(await test.database.snapshot(settings)).toMatchObject({ nestedLoops: 'on' });
      expect(await test.database.snapshot(settings, { joins: 'whole' })).toMatchObject({ nestedLoops: 'off' });
    });

    it('a snapshot whose queries join whole tables keeps to one process of the server', async () => {
      expect(await test.database.snapshot(settings, { joins: 'whole' })).toMatchObject({ workers: '0' });
    });
  }

  it('a snapshot cannot write', async () => {
    await expect(test.database.snapshot((tx) => tx.run(INSERT, { id: 'x' }))).rejects.toThrow(/must call only get/);
  });

  it('a bulk transaction commits everything, or nothing', async () => {
    const { database } = test;
    const insert = (fail: boolean) =>
      database.bulk(async (tx) => {
        for (const id of ['bulk 1', 'bulk 2']) {
          await tx.run(INSERT, { id });
          await sleep(1);
        }
        expect(await database.read(idsOf)).toEqual(['first', 'second']);
        if (fail) throw new Error('on purpose');
      });
    await expect(insert(true)).rejects.toThrow('on purpose');
    expect(await database.read(idsOf)).toEqual(['first', 'second']);
    await insert(false);
    expect(await database.read(idsOf)).toEqual(['bulk 1', 'bulk 2', 'first', 'second']);
  });

  it('a bulk transaction that swallowed the error of a query commits nothing', async () => {
    const { database } = test;
    const swallowing = database.bulk(async (tx) => {
      await tx.run(INSERT, { id: 'swallowed' });
      await tx.run(INSERT, { id: 'first' }).catch(() => {});
    });
    await expect(swallowing).rejects.toThrow();
    expect(await database.read(idsOf)).not.toContain('swallowed');
  });
});
