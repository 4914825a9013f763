import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimKeys } from '../../../src/app/claims.ts';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';

const put = (tx: Transaction, key: string) => tx.run('INSERT INTO things (key) VALUES (@key)', { key });
const isThere = async (tx: Transaction, key: string) =>
  (await tx.get('SELECT key FROM things WHERE key = @key', { key })) !== undefined;
const claim = (tx: Transaction, ...keys: string[]) => tx.claim(() => keys.map(claimKeys.payment));
/** The same for all units that share a transaction. */
const transactionOf = async (tx: Transaction) =>
  (await tx.get<{ id: string }>('SELECT CAST(pg_current_xact_id() AS TEXT) AS id'))?.id ?? '';

describe('units that share a commit on PostgreSQL', () => {
  let test: TestDatabase;
  let database: Database;
  const keys = async () => {
    const rows = await test.database.read((tx) => tx.all<{ key: string }>('SELECT key FROM things ORDER BY key'));
    return rows.map(({ key }) => key);
  };
  beforeEach(async () => {
    test = await createTestDatabase('postgres');
    database = test.database;
    await database.write((tx) => tx.run('CREATE TABLE things (key TEXT PRIMARY KEY)'));
  });
  afterEach(() => test.remove());

  /** Runs the units in one batch; returns how often each was started, and how it ended. */
  async function together(...units: ((tx: Transaction, run: number) => Promise<unknown>)[]) {
    const begun = units.map(() => 0);
    const ended = await Promise.allSettled(
      units.map((unit, index) =>
        database.write((tx) => {
          const run = (begun[index] ?? 0) + 1;
          begun[index] = run;
          return unit(tx, run);
        }),
      ),
    );
    return { begun, ended: ended.map(({ status }) => status) };
  }

  it('run in one transaction, except those that are alone', async () => {
    const shared = await Promise.all(Array.from({ length: 10 }, () => database.write(transactionOf)));
    expect(new Set(shared).size).toBe(1);
    const [one, alone] = await Promise.all([
      database.write(transactionOf),
      database.write(transactionOf, { alone: true }),
    ]);
    expect(alone).not.toBe(one);
  });

  it('wait for another unit with the same key, and then see what it wrote', async () => {
    const unit = async (tx: Transaction, name: string) => {
      await claim(tx, 'a');
      const found = (await Promise.all(['1', '2', '3'].map((key) => isThere(tx, key)))).filter(Boolean).length;
      await put(tx, name);
      return [found, await transactionOf(tx)] as const;
    };
    const seen = await Promise.all(['1', '2', '3'].map((name) => database.write((tx) => unit(tx, name))));
    expect(seen.map(([found]) => found)).toEqual([0, 1, 2]);
    expect(new Set(seen.map(([, id]) => id)).size).toBe(1);
  });

  it('run once when one of them fails without having written anything', async () => {
    const looks = async (tx: Transaction) => {
      await isThere(tx, 'a');
      throw new Error('no');
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
    [
      'throws after it wrote',
      async (tx: Transaction) => {
        await put(tx, 'x');
        throw new Error('no');
      },
    ],
    ['has a statement that fails', (tx: Transaction) => tx.run("INSERT INTO things (key) VALUES ('x'), ('x')")],
    ['has a read that fails', (tx: Transaction) => tx.get("SELECT CAST('x' AS BIGINT) AS no")],
  ])('are not affected by another unit that %s', async (_, fails) => {
    const { begun, ended } = await together(
      (tx) => put(tx, 'a'),
      fails,
      (tx) => put(tx, 'b'),
    );
    expect(begun).toEqual([2, 2, 2]);
    expect(ended).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await keys()).toEqual(['a', 'b']);
  });

  it('never reject because of a row that was rolled back', async () => {
    const unique = async (tx: Transaction) => {
      await claim(tx, 'invoice');
      if (await isThere(tx, 'invoice')) throw new Error('duplicate');
      await put(tx, 'invoice');
    };
    const first = async (tx: Transaction, run: number) => {
      if (run > 1) throw new Error('changed its mind');
      await unique(tx);
    };
    const fails = async (tx: Transaction) => {
      await put(tx, 'x');
      throw new Error('no');
    };
    const { ended } = await together(first, unique, fails);
    expect(ended).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(await keys()).toEqual(['invoice']);
  });

  it('commit while a unit waits for a key that another process holds', async () => {
    const other = await openDatabase(test.url);
    const held = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const holder = other.write(
      async (tx) => {
        await claim(tx, 'a');
        await put(tx, 'holder');
        held.resolve();
        await mayEnd.promise;
      },
      { alone: true },
    );
    await held.promise;
    let runs = 0;
    const waiting = database.write(async (tx) => {
      runs += 1;
      await claim(tx, 'a', 'b');
      return isThere(tx, 'holder');
    });
    await Promise.all(
      ['c', 'd'].map((key) => database.write(async (tx) => [await claim(tx, key), await put(tx, key)])),
    );
    expect(await keys()).toEqual(['c', 'd']);
    mayEnd.resolve();
    expect(await waiting).toBe(true);
    expect(runs).toBe(2);
    await holder;
    await other.close();
  });

  it("claim another unit's keys in opposite orders without waiting for each other", async () => {
    const unit = (first: string, second: string) => async (tx: Transaction) => {
      await claim(tx, first);
      await put(tx, `first ${first}`);
      await claim(tx, second);
      await put(tx, `second ${second}`);
    };
    const { ended } = await together(unit('a', 'b'), unit('b', 'a'));
    expect(ended).toEqual(['fulfilled', 'fulfilled']);
    expect(await keys()).toEqual(['first a', 'first b', 'second a', 'second b']);
  });

  it('are neither lost nor doubled when their connection is cut', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `${index}`.padStart(2, '0'));
    const cut = async (tx: Transaction, run: number) => {
      if (run === 1) await tx.get('SELECT pg_terminate_backend(pg_backend_pid()) AS cut');
    };
    const units = names.map((name) => async (tx: Transaction) => {
      await put(tx, name);
      for (let look = 0; look < 5; look += 1) await isThere(tx, name);
    });
    const { begun, ended } = await together(...units.slice(0, 10), cut, ...units.slice(10));
    expect(begun).toEqual(begun.map(() => 2));
    expect(new Set(ended)).toEqual(new Set(['fulfilled']));
    expect(await keys()).toEqual(names);
  });

  it('do not wait for a unit that awaits something else', async () => {
    const neighbour = Promise.withResolvers<void>();
    let runs = 0;
    const stranger = database.write(async (tx) => {
      runs += 1;
      await isThere(tx, 'a');
      await neighbour.promise;
      await put(tx, 'stranger');
    });
    await database.write((tx) => put(tx, 'a'));
    neighbour.resolve();
    await stranger;
    expect(runs).toBe(2);
    expect(await keys()).toEqual(['a', 'stranger']);
  });

  it('run work at the end: once for each key, in order, with what all of them added', async () => {
    const calls: [string, readonly number[]][] = [];
    const workOf = (key: string) => async (tx: Transaction, added: readonly number[]) => {
      calls.push([key, added]);
      await put(tx, `${key} ${added.join(' ')}`);
    };
    const [a, b] = [workOf('a'), workOf('b')];
    const { ended } = await together(
      async (tx) => tx.last('b', b, 1),
      async (tx) => tx.last('a', a, 2),
      async (tx) => {
        tx.last('b', b, 3);
        throw new Error('no');
      },
      async (tx) => tx.last('b', b, 4),
    );
    expect(ended).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(calls).toEqual([
      ['a', [2]],
      ['b', [1, 4]],
    ]);
    expect(await keys()).toEqual(['a 2', 'b 1 4']);
  });

  it('run alone once their connection is lost, and together again later', async () => {
    let runs = 0;
    await database.write(async (tx) => {
      runs += 1;
      if (runs === 1) await tx.get('SELECT pg_terminate_backend(pg_backend_pid()) AS cut');
      await put(tx, 'after');
    });
    await expect
      .poll(async () => new Set(await Promise.all([1, 2, 3].map(() => database.write(transactionOf)))).size)
      .toBe(1);
    expect(await keys()).toEqual(['after']);
  });

  it('lookups that are sent together fail one by one', async () => {
    const read = (sql: string) => database.read((tx) => tx.get(sql));
    const fails = () => read("SELECT CAST('x' AS BIGINT) AS no");
    const ended = await Promise.allSettled([read('SELECT 1 AS one'), fails(), read('SELECT 2 AS two'), fails()]);
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    for (const [index, value] of [[0, { one: 1 }] as const, [2, { two: 2 }] as const]) {
      expect(ended[index]).toEqual({ status: 'fulfilled', value });
    }
  });
});
