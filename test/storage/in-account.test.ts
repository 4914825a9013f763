import { expect, it } from 'vitest';
import { inAccount } from '../../src/storage/many-ids.ts';
import { createTestDatabase } from '../helpers/databases.ts';

it('SQLite looks up sales of an account by account and id, also where it groups them', async () => {
  const { database, remove } = await createTestDatabase('sqlite');
  const sql = `SELECT s.id FROM sales s LEFT JOIN ledger_entries e ON e.sale_id = s.id
    WHERE ${inAccount('s', '(@id0, @id1)')} GROUP BY s.account_id, s.id ORDER BY s.id`;
  const parameters = { accountId: 'acc_1', id0: 'sal_1', id1: 'sal_2' };
  const plan = await database.read((tx) => tx.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters));
  expect(plan[0]?.detail).toMatch(/^SEARCH s USING .*\(account_id=\? AND id=\?\)$/);
  await remove();
});
