import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimKeys } from '../../src/app/claims.ts';
import type { Database, Transaction } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createTestDatabase, engines, type TestDatabase } from '../helpers/databases.ts';
import { asId } from '../helpers/ids.ts';

const put = (tx: Transaction, key: string) =>
  tx.run('INSERT INTO things (key, amount) VALUES (@key, 0) ON CONFLICT (key) DO NOTHING', { key });
const amountOf = (tx: Transaction, key: string) =>
  tx.get<{ amount: number }>('SELECT amount FROM things WHERE key = @key', { key });
const increase = (tx: Transaction, key: string) =>
  tx.run('UPDATE things SET amount = amount + 1 WHERE key = @key', { key });

describe.each(engines)('concurrent units of work on %s', (engine) => {
  let test: TestDatabase;
  let database: Database;
  const keys = async () => {
    const rows = await database.read((tx) => tx.all<{ key: string }>('SELECT key FROM things ORDER BY key'));
    return rows.map(({ key }) => key);
  };

  beforeAll(async () => {
    test = await createTestDatabase(engine);
    database = test.database;
    await database.write((tx) => tx.run('CREATE TABLE things (key TEXT PRIMARY KEY, amount BIGINT)'));
  });
  beforeEach(() => database.write((tx) => tx.run('DELETE FROM things')));
  afterAll(() => test.remove());

  describe('all together', () => {
    it('store one of 200 units that insert the same key', async () => {
      const changed = await Promise.all(Array.from({ length: 200 }, () => database.write((tx) => put(tx, 'one'))));
      expect(changed.filter((rows) => rows === 1)).toHaveLength(1);
      expect(changed.filter((rows) => rows === 0)).toHaveLength(199);
      expect(await keys()).toEqual(['one']);
    });

    it('lose no update of 100 units that raise the same amount', async () => {
      await database.write((tx) => put(tx, 'counter'));
      await Promise.all(Array.from({ length: 100 }, () => database.write((tx) => increase(tx, 'counter'))));
      expect(await database.read((tx) => amountOf(tx, 'counter'))).toEqual({ amount: 100 });
    });

    it('let the second unit that claims a key see what the first wrote, 50 times', async () => {
      const second = await openDatabase(test.url);
      try {
        for (let round = 0; round < 50; round += 1) {
          const unit = async (tx: Transaction) => {
            const [accountId, name] = [asId<'acc'>('acc_1'), `${round}`];
            await tx.claim(() => [claimKeys.external(accountId, name), claimKeys.reference(accountId, name)]);
            const found = await amountOf(tx, `${round} first`);
            await put(tx, found ? `${round} second` : `${round} first`);
            return found ? 'second' : 'first';
          };
          const both = await Promise.all([database.write(unit), second.write(unit)]);
          expect(both.sort()).toEqual(['first', 'second']);
        }
        expect(await keys()).toHaveLength(100);
      } finally {
        await second.close();
      }
    });

    it('claim the same keys in opposite orders without a deadlock', async () => {
      await database.write(async (tx) => {
        for (const key of ['a', 'b']) await put(tx, key);
      });
      const unit = (first: string, second: string) => async (tx: Transaction) => {
        await tx.claim(() => [first, second, first].map(claimKeys.payment));
        await increase(tx, first);
        await increase(tx, second);
      };
      await Promise.all(Array.from({ length: 40 }, (_, i) => database.write(i % 2 ? unit('a', 'b') : unit('b', 'a'))));
      expect(await database.read((tx) => amountOf(tx, 'a'))).toEqual({ amount: 40 });
      expect(await database.read((tx) => amountOf(tx, 'b'))).toEqual({ amount: 40 });
    });

    it('survive a deadlock: each of two units holds the row that the other needs', async () => {
      await database.write(async (tx) => {
        for (const key of ['a', 'b']) await put(tx, key);
      });
      const unit = (first: string, second: string) => async (tx: Transaction) => {
        await increase(tx, first);
        for (let i = 0; i < 5; i += 1) await amountOf(tx, first);
        await increase(tx, second);
      };
      await Promise.all([
        database.write(unit('a', 'b')),
        database.write(unit('b', 'a')),
        database.write(unit('a', 'b')),
      ]);
      expect(await database.read((tx) => amountOf(tx, 'a'))).toEqual({ amount: 3 });
      expect(await database.read((tx) => amountOf(tx, 'b'))).toEqual({ amount: 3 });
    });
  });

  describe('for other units', () => {
    it('reads never see uncommitted rows, not even within the unit that wrote them', async () => {
      const seen = await database.write(async (tx) => {
        await put(tx, 'hidden');
        return database.read((reading) => amountOf(reading, 'hidden'));
      });
      expect(seen).toBeUndefined();
      expect(await database.read((tx) => amountOf(tx, 'hidden'))).toEqual({ amount: 0 });
    });

    it('a promise settles only when its result can be read, also a rejection that depends on another unit', async () => {
      const unit = async (tx: Transaction) => {
        if ((await put(tx, 'invoice')) === 0) throw new Error('duplicate');
      };
      const readAfter = (settled: Promise<void>) =>
        settled.catch(() => {}).then(() => database.read((tx) => amountOf(tx, 'invoice')));
      const reads = await Promise.all(Array.from({ length: 20 }, () => readAfter(database.write(unit))));
      expect(reads).toEqual(Array.from({ length: 20 }, () => ({ amount: 0 })));
    });

    it('reads continue during writes', async () => {
      const writes = Promise.all(Array.from({ length: 50 }, (_, i) => database.write((tx) => put(tx, `${i}`))));
      const counts = await Promise.all(Array.from({ length: 50 }, () => keys()));
      await writes;
      expect(counts.every((list) => list.length <= 50)).toBe(true);
      expect(await keys()).toHaveLength(50);
    });

    it('close waits for work in flight, and refuses new work', async () => {
      const closing = await openDatabase(test.url);
      const writes = Array.from({ length: 30 }, (_, i) => closing.write((tx) => put(tx, `closing ${i}`)));
      const reading = closing.read(async (tx) => {
        await Promise.all(writes);
        return amountOf(tx, 'closing 0');
      });
      await Promise.all([closing.close(), closing.close()]);
      await Promise.all(writes);
      expect(await reading).toEqual({ amount: 0 });
      expect(await keys()).toHaveLength(30);
      await expect(closing.write((tx) => put(tx, 'late'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(closing.read((tx) => amountOf(tx, 'late'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await keys()).toHaveLength(30);
    });
  });
});
