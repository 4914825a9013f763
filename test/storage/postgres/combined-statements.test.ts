import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, SqlValue, Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { PipelinedClient } from '../../../src/storage/postgres/client.ts';
import { type Combinable, combinableFrom } from '../../../src/storage/postgres/combinable.ts';
import { combine } from '../../../src/storage/postgres/combine.ts';
import { PostgresStatements } from '../../../src/storage/postgres/statements.ts';
import type { Pending } from '../../../src/storage/postgres/wire-query.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { type ObservedPostgres, observePostgres } from '../../helpers/postgres-traffic.ts';

const INSERT = 'INSERT INTO things (key, amount, body) VALUES (@key, @amount, @body)';
const FIND = 'SELECT key, amount, body FROM things WHERE key = @key ORDER BY amount';

let test: TestDatabase;
let observed: ObservedPostgres;
let database: Database;
beforeAll(async () => {
  test = await createTestDatabase('postgres');
  await test.database.write((tx) => tx.run('CREATE TABLE things (key TEXT NOT NULL, amount BIGINT, body BYTEA)'));
  await test.database.write((tx) => tx.run('CREATE UNIQUE INDEX things_key ON things (key, amount)'));
  observed = await observePostgres(test.url);
  database = await openDatabase(observed.url);
  // until the server has described a statement, its executions are sent apart
  for (const key of ['first', 'second']) await database.write((tx) => put(tx, key));
});
afterAll(async () => {
  await database.close();
  await observed.close();
  await test.remove();
});

interface Thing {
  key: string;
  amount: SqlValue;
  body: SqlValue;
}

async function put(tx: Transaction, key: string, amount: SqlValue = 1, body: SqlValue = null): Promise<Thing[]> {
  const known = await tx.all<Thing>(FIND, { key });
  await tx.run(INSERT, { key, amount, body });
  return known;
}

describe('executions of the same statement in one batch', () => {
  it('are one lookup and one INSERT, and each unit receives its own rows', async () => {
    const keys = Array.from({ length: 8 }, (_, n) => `mine_${n}`);
    for (const key of keys.slice(0, 3)) await database.write((tx) => put(tx, key));
    const found: Thing[][] = [];
    const { statements } = await observed.observe(async () => {
      found.push(...(await Promise.all(keys.map((key) => database.write((tx) => put(tx, key, 2))))));
    });
    expect(statements.filter((text) => /^INSERT INTO things/.test(text))).toHaveLength(1);
    expect(statements.filter((text) => /^SELECT .* FROM things/.test(text))).toHaveLength(1);
    expect(found).toEqual(keys.map((key, n) => (n < 3 ? [{ key, amount: 1, body: null }] : [])));
    const rows = await database.read((tx) => Promise.all(keys.map((key) => tx.all<Thing>(FIND, { key }))));
    expect(rows.map((one) => one.map(({ amount }) => amount))).toEqual(keys.map((_, n) => (n < 3 ? [1, 2] : [2])));
  });

  it('store any value as a statement of its own does', async () => {
    const texts = [
      '',
      ' ',
      'NULL',
      '"',
      '\\',
      '\\"',
      '{}',
      '{a,b}',
      "it's",
      'a\nb\tc',
      '\u{1f600} ü',
      '\\x41',
      '@key $1',
    ];
    const bodies = [null, Buffer.alloc(0), Buffer.from([0, 1, 34, 92, 255]), Buffer.from('{"a":"\\"b"}')];
    const amounts = [null, 0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    const things = texts.map((text, n) => {
      return { key: `any ${text}`, amount: amounts[n % 5] as SqlValue, body: bodies[n % 4] as SqlValue };
    });
    const { statements } = await observed.observe(() =>
      Promise.all(things.map(({ key, amount, body }) => database.write((tx) => put(tx, key, amount, body)))),
    );
    expect(statements.filter((text) => /^INSERT INTO things/.test(text))).toHaveLength(1);
    for (const thing of things) {
      expect(await database.read((tx) => tx.all(FIND, { key: thing.key }))).toEqual([thing]);
    }
  });

  it('have one each for a long value, which would be copied on its way into an array', async () => {
    const things = Array.from({ length: 7 }, (_, n) => ({
      key: `long_${n}`,
      body: Buffer.alloc(n < 2 ? 20_000 : 10, n),
    }));
    const { statements } = await observed.observe(() =>
      Promise.all(things.map(({ key, body }) => database.write((tx) => put(tx, key, 1, body)))),
    );
    expect(statements.filter((text) => /^INSERT INTO things/.test(text))).toHaveLength(3);
    for (const { key, body } of things) {
      expect(await database.read((tx) => tx.all(FIND, { key }))).toEqual([{ key, amount: 1, body }]);
    }
  });

  it('lock the rows that each of them would lock', async () => {
    const keys = Array.from({ length: 6 }, (_, n) => `locked_${n}`);
    for (const key of keys) await database.write((tx) => put(tx, key));
    const statements = new PostgresStatements({ isPooled: false });
    const lock = (key: string) =>
      statements.queryFor('SELECT key FROM things WHERE key = @key /* postgres: FOR KEY SHARE */', { key }).query;
    const client = new PipelinedClient({ connectionString: test.url, combines: true });
    const other = new pg.Client({ connectionString: test.url, lock_timeout: 100 });
    await Promise.all([client.connect(), other.connect()]);
    try {
      await client.send(lock('locked_0'));
      await client.send({ text: 'BEGIN' });
      const locked = await Promise.all(keys.map((key) => client.send(lock(key), {})));
      expect(locked.map(({ rows }) => rows)).toEqual(keys.map((key) => [{ key }]));
      for (const key of keys) {
        await expect(other.query('DELETE FROM things WHERE key = $1', [key])).rejects.toThrow('lock timeout');
      }
      expect((await other.query("DELETE FROM things WHERE key = 'second'")).rowCount).toBe(1);
    } finally {
      await Promise.all([client.end(), other.end()]);
    }
  });

  it('fail alone when a value of theirs cannot be read', async () => {
    const huge = 'INSERT INTO things (key, amount) VALUES (@key, 9007199254740993)';
    await database.write((tx) => tx.run(huge, { key: 'huge' }));
    const keys = ['huge', ...Array.from({ length: 6 }, (_, n) => `sound_${n}`)];
    let runs = 0;
    const ended = await Promise.allSettled(
      keys.map((key) =>
        database.write((tx) => {
          runs += 1;
          return put(tx, key, 3);
        }),
      ),
    );
    expect(ended.map(({ status }) => status)).toEqual(['rejected', ...Array(6).fill('fulfilled')]);
    expect(runs).toBe(keys.length);
  });

  it('fail alone when the database refuses their row', async () => {
    await database.write((tx) => put(tx, 'taken', 4));
    const keys = ['taken', ...Array.from({ length: 6 }, (_, n) => `free_${n}`)];
    const ended = await Promise.allSettled(keys.map((key) => database.write((tx) => put(tx, key, 4))));
    expect(ended.map(({ status }) => status)).toEqual(['rejected', ...Array(6).fill('fulfilled')]);
    const rows = await database.read((tx) => Promise.all(keys.map((key) => tx.all(FIND, { key }))));
    expect(rows.map(({ length }) => length)).toEqual(keys.map(() => 1));
  });
});

describe('a statement that may be combined', () => {
  const isCombinable = (sql: string) => combinableFrom(sql, 'x') !== null;

  it.each([
    'SELECT a FROM t WHERE b = @b',
    'SELECT a FROM t WHERE b = @b ORDER BY a LIMIT @limit',
    'SELECT a FROM t WHERE b = @b /* postgres: FOR KEY SHARE */',
    'INSERT INTO t (a, b) VALUES (@a, CAST(@b AS BIGINT))',
    "\n  INSERT INTO t (a, b, c)\n  VALUES (@a, COALESCE(@b, LOWER(@a)), 'x')\n",
  ])('%j', (sql) => {
    expect(isCombinable(sql)).toBe(true);
  });

  it.each([
    ['has no parameters', 'SELECT a FROM t'],
    ['locks rows', 'SELECT a FROM t WHERE b = @b FOR UPDATE'],
    ['locks rows, too', 'SELECT a FROM t WHERE b = @b /* postgres: FOR NO KEY UPDATE */'],
    ['may change rows', 'WITH x AS (DELETE FROM t WHERE a = @a) SELECT 1'],
    ['changes rows', 'UPDATE t SET a = @a WHERE b = @b'],
    ['leaves a row out', 'INSERT INTO t (a) VALUES (@a) ON CONFLICT DO NOTHING'],
    ['returns the row', 'INSERT INTO t (a) VALUES (@a) RETURNING a'],
    ['inserts several rows', 'INSERT INTO t (a) VALUES (@a), (@b)'],
    ['inserts what it finds', 'INSERT INTO t (a) SELECT a FROM u WHERE b = @b'],
  ])('is none that %s', (_, sql) => {
    expect(isCombinable(sql)).toBe(false);
  });
});

describe('the order of statements', () => {
  const texts = ['INSERT INTO a (x) VALUES (@x)', 'INSERT INTO b (x) VALUES (@x)', 'INSERT INTO c (x) VALUES (@x)'];
  const kinds = [...texts, 'SELECT x FROM a WHERE x = @x', 'SELECT x FROM b WHERE x = @x', 'UPDATE a SET x = @x'];
  const forms = kinds.map((sql, kind) => combinableFrom(sql, String(kind)));
  const units = Array.from({ length: 6 }, () => ({}));

  const pendingOf = ({ unit, kind }: { unit: number; kind: number }, number: number): Pending => ({
    query: { name: String(kind), text: kinds[kind] as string, values: [number], combinable: forms[kind] ?? null },
    unit: units[unit] as object,
    resolve: () => {},
    reject: () => {},
  });
  const oneArbitrary = fc.record({ unit: fc.nat(4), kind: fc.nat(kinds.length - 1) });
  const isLookup = ({ query }: Pending) => query.combinable?.isLookup;

  it('is kept within each unit, and between lookups, INSERTs and all else', () => {
    const property = fc.property(fc.array(oneArbitrary, { maxLength: 60 }), (ones) => {
      const pending = ones.map(pendingOf);
      const sent = combine(pending, () => [25]);
      const order = sent.flatMap(({ waiting }) => waiting);
      expect(new Set(order)).toEqual(new Set(pending));
      expect(order).toHaveLength(pending.length);
      for (const unit of units) {
        const ofUnit = (list: readonly Pending[]) => list.filter((one) => one.unit === unit);
        expect(ofUnit(order)).toEqual(ofUnit(pending));
      }
      expect(order.map(isLookup)).toEqual(pending.map(isLookup));
      for (const { waiting, values } of sent) {
        const numbers = waiting.map(({ query }) => (query.values as SqlValue[])[0]);
        expect(values).toEqual(waiting.length === 1 ? numbers : [`{${numbers.join(',')}}`]);
        expect(new Set(waiting.map(({ query }) => query.combinable as Combinable)).size).toBe(1);
      }
    });
    fc.assert(property, { endOnFailure: true });
  });

  it('lets units that run the same steps share each of them, although one has a step more', () => {
    const ones = [0, 1, 2, 3, 4, 5].flatMap((unit) =>
      (unit === 2 ? [0, 1, 2] : [1, 2]).map((kind) => ({ unit, kind })),
    );
    const sent = combine(ones.map(pendingOf), () => [25]);
    expect(sent.map(({ waiting }) => waiting.length)).toEqual([1, 6, 6]);
  });
});
