import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';

const UNITS = 12;

describe('units of work that take long, at the same time', () => {
  let test: TestDatabase;
  let database: Database;
  let passedMs = 0;
  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
    database = test.database;
    await database.write((tx) => tx.run('CREATE TABLE things (key TEXT PRIMARY KEY)'));
    const realNow = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => realNow() + passedMs);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await test.remove();
  });

  const storedKeys = async () => {
    const rows = await database.read((tx) => tx.all<{ key: string }>('SELECT key FROM things ORDER BY key'));
    return rows.map(({ key }) => key);
  };

  /** Returns the most units that began in one turn of the event loop, and how each ended. */
  async function runTogether(unit: (tx: Transaction, number: number) => Promise<unknown>) {
    let begun = 0;
    let mostPerTurn = 0;
    let areDone = false;
    const running = Array.from({ length: UNITS }, (_, number) =>
      database.write((tx) => {
        begun += 1;
        passedMs += 4;
        return unit(tx, number);
      }),
    );
    const ended = Promise.allSettled(running).finally(() => {
      areDone = true;
    });
    while (!areDone) {
      begun = 0;
      await nextTurn();
      mostPerTurn = Math.max(mostPerTurn, begun);
    }
    return { mostPerTurn, ended: (await ended).map(({ status }) => status) };
  }

  it('share a turn of the event loop only for a few milliseconds', async () => {
    const put = (tx: Transaction, number: number) =>
      tx.run('INSERT INTO things VALUES (@key)', { key: `${10 + number}` });
    const { mostPerTurn, ended } = await runTogether(put);
    expect(mostPerTurn).toBeLessThanOrEqual(3);
    expect(ended).toEqual(Array(UNITS).fill('fulfilled'));
    expect(await storedKeys()).toEqual(Array.from({ length: UNITS }, (_, number) => `${10 + number}`));
  });

  it('share it no longer when one of them fails after writing', async () => {
    const { mostPerTurn, ended } = await runTogether(async (tx, number) => {
      await tx.run('INSERT INTO things VALUES (@key)', { key: `${10 + number}` });
      if (number === 1) throw new Error('no');
    });
    // the first batch runs twice
    expect(mostPerTurn).toBeLessThanOrEqual(5);
    expect(ended).toEqual(Array.from({ length: UNITS }, (_, number) => (number === 1 ? 'rejected' : 'fulfilled')));
    expect(await storedKeys()).toHaveLength(UNITS - 1);
  });

  describe('of which one takes several turns of the event loop', () => {
    const keysOf = (name: string) => Array.from({ length: UNITS }, (_, number) => `${name}${10 + number}`);
    const put = (tx: Transaction, key: string) => {
      passedMs += 4;
      return tx.run('INSERT INTO things VALUES (@key)', { key });
    };
    const putAll = async (tx: Transaction, keys: readonly string[]) => {
      for (const key of keys) await put(tx, key);
    };

    /** Returns what was stored at the start of each turn until the unit had ended. */
    async function watchTurns(unit: (tx: Transaction) => Promise<unknown>) {
      const seen: string[][] = [];
      let hasEnded = false;
      const ending = Promise.allSettled([database.write(unit)]).finally(() => {
        hasEnded = true;
      });
      while (!hasEnded) {
        seen.push(await storedKeys());
        await nextTurn();
      }
      const [ended] = await ending;
      return { seen, ended };
    }

    it('leave reads their turn, which see nothing of it before its commit', async () => {
      const { seen } = await watchTurns((tx) => putAll(tx, keysOf('a')));
      expect(seen.length).toBeGreaterThanOrEqual(UNITS / 4);
      expect(seen.slice(0, -1).flat()).toEqual([]);
      expect(await storedKeys()).toEqual(keysOf('a'));
    });

    it('do the same for queries that were started together, which keep their order', async () => {
      const counts: (number | undefined)[] = [];
      const countAfter = async (tx: Transaction, key: string) => {
        const putting = tx.run('INSERT INTO things VALUES (@key)', { key });
        const row = await tx.get<{ count: number }>('SELECT COUNT(*) AS count FROM things');
        counts.push(row?.count);
        await putting;
      };
      vi.spyOn(performance, 'now').mockImplementation(() => {
        passedMs += 4;
        return passedMs;
      });
      const { seen } = await watchTurns((tx) => Promise.all(keysOf('a').map((key) => countAfter(tx, key))));
      expect(seen.length).toBeGreaterThanOrEqual(UNITS / 4);
      expect(counts).toEqual(Array.from({ length: UNITS }, (_, number) => number + 1));
    });

    it('do the same for what is left to the end of the unit', async () => {
      const { seen } = await watchTurns(async (tx) => tx.last('things', putAll, keysOf('a')[0] ?? ''));
      expect(await storedKeys()).toEqual(keysOf('a').slice(0, 1));
      const more = await watchTurns(async (tx) => {
        for (const key of keysOf('b')) tx.last('things', putAll, key);
      });
      expect(more.seen.length).toBeGreaterThan(seen.length);
      expect(await storedKeys()).toEqual([...keysOf('a').slice(0, 1), ...keysOf('b')]);
    });

    it('run one after the other', async () => {
      const order: string[] = [];
      const unit = (name: string) => async (tx: Transaction) => {
        for (const key of keysOf(name)) {
          order.push(name);
          await put(tx, key);
        }
      };
      await Promise.all(['a', 'b', 'c'].map((name) => database.write(unit(name))));
      expect(order).toEqual(['a', 'b', 'c'].flatMap((name) => Array(UNITS).fill(name)));
    });

    it('are undone as a whole when one fails in a later turn, and the others are stored', async () => {
      const ended = await Promise.allSettled(
        ['a', 'b', 'c'].map((name) =>
          database.write(async (tx) => {
            await putAll(tx, keysOf(name));
            if (name === 'b') throw new Error('no');
          }),
        ),
      );
      expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await storedKeys()).toEqual([...keysOf('a'), ...keysOf('c')]);
    });

    it('are undone when one awaits something other than its queries in a later turn', async () => {
      const { ended } = await watchTurns(async (tx) => {
        await putAll(tx, keysOf('a'));
        await nextTurn();
        await nextTurn();
        await put(tx, 'b');
      });
      expect(ended).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('a bug') } });
      expect(await storedKeys()).toEqual([]);
    });
  });
});
