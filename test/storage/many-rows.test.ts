import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manyRows } from '../../src/storage/many-rows.ts';
import { createTestDatabase, engines, type TestDatabase } from '../helpers/databases.ts';

const insertAccounts = manyRows({
  before: 'INSERT INTO accounts (id, name, created_at) VALUES',
  names: ['id', 'name', 'createdAt'],
  after: 'ON CONFLICT (id) DO UPDATE SET name = excluded.name',
});

describe.each(engines)('a statement over many rows on %s', (engine) => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase(engine);
  });
  afterEach(() => test.remove());

  it.each([0, 1, 63, 64, 65, 200])('writes %i of them, each once and in its own columns', async (count) => {
    const rows = Array.from({ length: count }, (_, n) => ({ id: `acc_${1_000 + n}`, name: `No. ${n}`, createdAt: n }));
    expect(await test.database.write((tx) => insertAccounts(tx, rows))).toBe(count);
    const stored = await test.database.read((tx) =>
      tx.all('SELECT id, name, created_at AS "createdAt" FROM accounts ORDER BY id'),
    );
    expect(stored).toEqual(rows);
  });

  it('may end with a conflict clause', async () => {
    const account = { id: 'acc_1', createdAt: 1 };
    await test.database.write((tx) => insertAccounts(tx, [{ ...account, name: 'before' }]));
    await test.database.write((tx) => insertAccounts(tx, [{ ...account, name: 'after' }]));
    expect(await test.database.read((tx) => tx.all('SELECT name FROM accounts'))).toEqual([{ name: 'after' }]);
  });
});
