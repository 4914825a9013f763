import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database, Transaction } from '../../src/storage/database.ts';
import { createTestDatabase, engines, type TestDatabase } from '../helpers/databases.ts';

const put = (tx: Transaction, key: string) =>
  tx.run('INSERT INTO things (key, amount) VALUES (@key, 0) ON CONFLICT (key) DO NOTHING', { key });
const putTwice = (tx: Transaction, key: string) => tx.run('INSERT INTO things (key, amount) VALUES (@key, 0)', { key });
const amountOf = (tx: Transaction, key: string) =>
  tx.get<{ amount: number }>('SELECT amount FROM things WHERE key = @key', { key });

describe.each(engines)('units of work on %s', (engine) => {
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

  describe('in isolation', () => {
    it('rolls back everything that a throwing unit wrote, and rethrows its error, while other units commit', async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, number) =>
          database.write(async (tx) => {
            await put(tx, `${number} first`);
            if (number % 3 === 0) throw new Error(`no to ${number}`);
            await put(tx, `${number} second`);
            return number;
          }),
        ),
      );
      const stored = await keys();
      results.forEach((result, number) => {
        const written = [`${number} first`, `${number} second`].filter((key) => stored.includes(key));
        if (number % 3 === 0)
          expect(result).toMatchObject({ status: 'rejected', reason: new Error(`no to ${number}`) });
        else expect(result).toEqual({ status: 'fulfilled', value: number });
        expect(written).toHaveLength(number % 3 === 0 ? 0 : 2);
      });
    });

    it('rolls back a unit that throws before its first query', async () => {
      const unit = () => {
        throw new Error('at once');
      };
      await expect(database.write(unit)).rejects.toThrow('at once');
      expect(await database.write(async () => 'fine')).toBe('fine');
    });

    it('does not commit a unit that swallowed a failed query', async () => {
      const unit = database.write(async (tx) => {
        await put(tx, 'a');
        await putTwice(tx, 'a').catch(() => 0);
        return 'done';
      });
      await expect(unit).rejects.toThrow(/unique/i);
      expect(await keys()).toEqual([]);
    });

    it("rejects with the unit's own error when it translates a failed query", async () => {
      const unit = database.write(async (tx) => {
        await put(tx, 'a');
        await putTwice(tx, 'a').catch(() => {
          throw new Error('taken');
        });
      });
      await expect(unit).rejects.toThrow('taken');
    });

    it('refuses every query after a failed one', async () => {
      const unit = database.write(async (tx) => {
        await put(tx, 'a');
        await putTwice(tx, 'a').catch(() => 0);
        await put(tx, 'b');
      });
      await expect(unit).rejects.toThrow(/unique/i);
      expect(await keys()).toEqual([]);
    });

    it('refuses queries after the unit has ended', async () => {
      let leaked: Transaction | undefined;
      await database.write(async (tx) => {
        leaked = tx;
      });
      await expect(leaked?.run("INSERT INTO things (key) VALUES ('late')")).rejects.toThrow('has ended');
      expect(await keys()).toEqual([]);
    });

    it('runs concurrently started queries one after the other', async () => {
      await database.write((tx) => Promise.all([put(tx, 'a'), put(tx, 'b'), amountOf(tx, 'a'), put(tx, 'c')]));
      expect(await keys()).toEqual(['a', 'b', 'c']);
    });
  });
});
