import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, Transaction } from '../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/databases.ts';

const put = (tx: Transaction, key: string) => tx.run('INSERT INTO things (key) VALUES (@key)', { key });

describe('units that share a commit on SQLite', () => {
  let test: TestDatabase;
  let database: Database;
  const keys = async () => {
    const rows = await database.read((tx) => tx.all<{ key: string }>('SELECT key FROM things ORDER BY key'));
    return rows.map(({ key }) => key);
  };
  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
    database = test.database;
    await database.write((tx) => tx.run('CREATE TABLE things (key TEXT PRIMARY KEY)'));
    // a batch that took long would leave some of the units to the next one
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  });
  afterEach(() => {
    vi.restoreAllMocks();
    return test.remove();
  });

  /** Runs the units in one batch; returns how often each was started, and how it ended. */
  async function together(...units: ((tx: Transaction) => Promise<unknown>)[]) {
    const begun = units.map(() => 0);
    const ended = await Promise.allSettled(
      units.map((unit, index) =>
        database.write((tx) => {
          begun[index] = (begun[index] ?? 0) + 1;
          return unit(tx);
        }),
      ),
    );
    return { begun, ended: ended.map(({ status }) => status) };
  }
  const refuse = async () => {
    throw new Error('no');
  };

  it('run once when one of them fails without having written anything', async () => {
    const looks = async (tx: Transaction) => {
      await tx.get('SELECT key FROM things');
      return refuse();
    };
    const { begun, ended } = await together(
      (tx) => put(tx, 'a'),
      looks,
      (tx) => put(tx, 'b'),
    );
    expect([begun, ended]).toEqual([
      [1, 1, 1],
      ['fulfilled', 'rejected', 'fulfilled'],
    ]);
    expect(await keys()).toEqual(['a', 'b']);
  });

  it.each([
    ['a row', (tx: Transaction) => put(tx, 'x')],
    ['a row that it asked back', (tx: Transaction) => tx.get("INSERT INTO things (key) VALUES ('x') RETURNING key")],
    ['a table', (tx: Transaction) => tx.run('CREATE TABLE others (key TEXT)')],
    ['half of a statement', (tx: Transaction) => tx.run("INSERT OR FAIL INTO things (key) VALUES ('x'), ('x')")],
  ])('are rolled back and run again when one of them fails after writing %s', async (_, write) => {
    const fails = async (tx: Transaction) => {
      await write(tx);
      return refuse();
    };
    const { begun, ended } = await together(
      (tx) => put(tx, 'a'),
      fails,
      (tx) => put(tx, 'b'),
    );
    expect([begun, ended]).toEqual([
      [2, 2, 1],
      ['fulfilled', 'rejected', 'fulfilled'],
    ]);
    expect(await keys()).toEqual(['a', 'b']);
    const tables = await database.read((tx) => tx.all("SELECT name FROM sqlite_schema WHERE name = 'others'"));
    expect(tables).toEqual([]);
  });

  it('a single unit is rolled back with its transaction, and not run again', async () => {
    const { begun, ended } = await together(async (tx) => {
      await put(tx, 'x');
      return refuse();
    });
    expect([begun, ended]).toEqual([[1], ['rejected']]);
    expect(await keys()).toEqual([]);
    await database.write((tx) => put(tx, 'after'));
    expect(await keys()).toEqual(['after']);
  });

  describe('with work deferred to the end', () => {
    const ran: string[][] = [];
    const putAll = async (tx: Transaction, added: readonly string[]) => {
      ran.push([...added]);
      for (const key of added) await put(tx, key);
    };
    const leave = (key: string) => async (tx: Transaction) => tx.last('things', putAll, key);
    beforeEach(() => ran.splice(0));

    it('run it once for all of them, but before a unit that reads what it writes', async () => {
      const reading = database.write(leave('a'));
      const seen = database.write((tx) => tx.all('SELECT key FROM things'), { alone: true });
      await Promise.all([reading, seen, database.write(leave('b')), database.write(leave('c'))]);
      expect(await seen).toEqual([{ key: 'a' }]);
      expect(ran).toEqual([['a'], ['b', 'c']]);
      expect(await keys()).toEqual(['a', 'b', 'c']);
    });

    it('run again, each with its own, when it fails; only the one at fault is rejected', async () => {
      const { ended } = await together(leave('a'), leave('b'), leave('a'), (tx) => put(tx, 'd'));
      expect(ended).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
      expect(ran).toEqual([['a', 'b', 'a'], ['a'], ['b'], ['a']]);
      expect(await keys()).toEqual(['a', 'b', 'd']);
    });

    it('drop it when one fails', async () => {
      const fails = async (tx: Transaction) => {
        tx.last('things', putAll, 'x');
        return refuse();
      };
      expect((await together(leave('a'), fails)).ended).toEqual(['fulfilled', 'rejected']);
      expect(ran).toEqual([['a']]);
      expect(await keys()).toEqual(['a']);
    });
  });
});
