import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimKeys } from '../../src/app/claims.ts';
import type { SqlParameters } from '../../src/storage/database.ts';
import { createTestDatabase, engines, type TestDatabase } from '../helpers/databases.ts';

const INSERT = 'INSERT INTO things (key, small, amount, note, body) VALUES (@key, @small, @amount, @note, @body)';
const EMPTY = { small: null, amount: null, note: null, body: null };

describe.each(engines)('values and queries on %s', (engine) => {
  let test: TestDatabase;
  const insert = (parameters: SqlParameters) => test.database.write((tx) => tx.run(INSERT, parameters));
  const find = (key: string) =>
    test.database.read((tx) => tx.get('SELECT small, amount, note, body FROM things WHERE key = @key', { key }));

  beforeAll(async () => {
    test = await createTestDatabase(engine);
    await test.database.write((tx) =>
      tx.run('CREATE TABLE things (key TEXT PRIMARY KEY, small INTEGER, amount BIGINT, note TEXT, body BYTEA)'),
    );
  });
  afterAll(() => test.remove());

  it('returns what was stored: integers, text of any script, bytes, null', async () => {
    const values = {
      small: 1,
      amount: 1_795_225_528_227,
      note: 'Žofie \u{1f9ea} 漢',
      body: Buffer.from([0, 255, 39, 92]),
    };
    await insert({ key: 'all', ...values });
    expect(await find('all')).toEqual(values);
    await insert({ key: 'none', ...EMPTY });
    expect(await find('none')).toEqual(EMPTY);
  });

  it.each([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0, -1])('keeps the integer %d exactly', async (amount) => {
    await insert({ key: `exact ${amount}`, ...EMPTY, amount });
    expect(await find(`exact ${amount}`)).toEqual({ ...EMPTY, amount });
  });

  it('stores half a surrogate pair as the replacement character, the same on both engines', async () => {
    await insert({ key: 'broken', ...EMPTY, note: 'a\ud800b' });
    expect(await find('broken')).toEqual({ ...EMPTY, note: 'a\ufffdb' });
  });

  it('throws rather than rounds an integer past 2^53', async () => {
    const sql = "SELECT CAST('9007199254740993' AS BIGINT) AS amount";
    await expect(test.database.read((tx) => tx.get(sql))).rejects.toThrow(
      'the largest number that JSON can hold exactly',
    );
    await expect(test.database.write((tx) => tx.all(sql))).rejects.toThrow(
      'the largest number that JSON can hold exactly',
    );
    expect(await test.database.read((tx) => tx.get('SELECT 1 AS one'))).toEqual({ one: 1 });
  });

  it('refuses a fraction as a parameter, and as a result', async () => {
    await expect(insert({ key: 'half', ...EMPTY, amount: 0.5 })).rejects.toThrow('not a safe integer');
    expect(await find('half')).toBeUndefined();
    await expect(test.database.read((tx) => tx.get('SELECT 1 / 2.0 AS half'))).rejects.toThrow('not a safe integer');
  });

  it('binds numbers as integers, so that dividing money yields whole numbers and text has no decimals', async () => {
    await insert({ key: 'seven', ...EMPTY, amount: 7 });
    const row = await test.database.read((tx) =>
      tx.get("SELECT amount / @parts AS part, 'n' || CAST(@parts AS TEXT) AS text FROM things WHERE key = 'seven'", {
        parts: 2,
      }),
    );
    expect(row).toEqual({ part: 3, text: 'n2' });
  });

  it('counts and sums as integers, and returns booleans as 0 and 1', async () => {
    await insert({ key: 'sum 1', ...EMPTY, amount: 40 });
    await insert({ key: 'sum 2', ...EMPTY, amount: 2 });
    const row = await test.database.read((tx) =>
      tx.get(
        "SELECT COUNT(*) AS count, SUM(amount) AS sum, 1 = 1 AS yes, 1 = 2 AS no FROM things WHERE key LIKE 'sum %'",
      ),
    );
    expect(row).toEqual({ count: 2, sum: 42, yes: 1, no: 0 });
  });

  it('returns the changed row from RETURNING and the number of changed rows from run', async () => {
    await insert({ key: 'returned', ...EMPTY, amount: 1 });
    const [row, changed, untouched] = await test.database.write(async (tx) => [
      await tx.get("UPDATE things SET amount = amount + 1 WHERE key = 'returned' RETURNING key, amount"),
      await tx.run("UPDATE things SET note = 'x' WHERE key IN ('returned', 'all')"),
      await tx.run("UPDATE things SET note = 'x' WHERE key = 'nobody'"),
    ]);
    expect(row).toEqual({ key: 'returned', amount: 2 });
    expect([changed, untouched]).toEqual([2, 0]);
  });

  it('finds a duplicate by ON CONFLICT DO NOTHING: no row changed, no row returned', async () => {
    const sql = `${INSERT} ON CONFLICT (key) DO NOTHING`;
    const first = await test.database.write((tx) => tx.get(`${sql} RETURNING key`, { key: 'once', ...EMPTY }));
    const second = await test.database.write((tx) => tx.get(`${sql} RETURNING key`, { key: 'once', ...EMPTY }));
    const third = await test.database.write((tx) => tx.run(sql, { key: 'once', ...EMPTY }));
    expect([first, second, third]).toEqual([{ key: 'once' }, undefined, 0]);
  });

  it('updates by ON CONFLICT DO UPDATE with the excluded values', async () => {
    const sql = `${INSERT} ON CONFLICT (key) DO UPDATE SET note = COALESCE(excluded.note, things.note)`;
    await test.database.write((tx) => tx.run(sql, { key: 'upsert', ...EMPTY, note: 'first' }));
    await test.database.write((tx) => tx.run(sql, { key: 'upsert', ...EMPTY }));
    expect(await find('upsert')).toEqual({ ...EMPTY, note: 'first' });
  });

  it('returns undefined for no row, and an empty list for no rows', async () => {
    const sql = "SELECT key FROM things WHERE key = 'nobody'";
    expect(await test.database.read((tx) => tx.get(sql))).toBeUndefined();
    expect(await test.database.read((tx) => tx.all(sql))).toEqual([]);
  });

  it('keeps the order of ORDER BY and accepts LIMIT as a parameter', async () => {
    for (const key of ['page b', 'page c', 'page a']) await insert({ key, ...EMPTY });
    const rows = await test.database.read((tx) =>
      tx.all(
        "SELECT key FROM things WHERE key LIKE 'page %' AND (CAST(@after AS TEXT) IS NULL OR key > @after) ORDER BY key LIMIT @limit",
        {
          after: 'page a',
          limit: 5,
        },
      ),
    );
    expect(rows).toEqual([{ key: 'page b' }, { key: 'page c' }]);
  });

  it('names a missing parameter', async () => {
    await expect(insert({ key: 'incomplete' })).rejects.toThrow('@small is missing');
  });

  it('checks foreign keys', async () => {
    const sql = "INSERT INTO program_origins (program_id, origin) VALUES ('prg_nobody', 'https://example.com')";
    await expect(test.database.write((tx) => tx.run(sql))).rejects.toThrow(/foreign key/i);
  });

  it('reads without writing: run, claim and a writing get are refused', async () => {
    const { database } = test;
    await expect(database.read((tx) => tx.run("DELETE FROM things WHERE key = 'all'"))).rejects.toThrow('A read must');
    await expect(database.read((tx) => tx.get("DELETE FROM things WHERE key = 'all' RETURNING key"))).rejects.toThrow(
      'A read must',
    );
    await expect(database.read((tx) => tx.claim(() => [claimKeys.payment('pay_1')]))).rejects.toThrow('A read must');
    expect(await find('all')).toBeDefined();
  });

  it('reports that commits are durable, and the schema version', async () => {
    expect(await test.database.durability()).toEqual({ synchronous: engine === 'sqlite' ? 'FULL' : 'on' });
    const { count } = (await test.database.read((tx) => tx.get('SELECT COUNT(*) AS count FROM schema_migrations'))) as {
      count: number;
    };
    expect(test.database.schemaVersion).toBe(count);
  });
});
