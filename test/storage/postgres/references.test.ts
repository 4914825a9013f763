import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../../helpers/databases.ts';

/** Tables with a few rows per account: PostgreSQL may read all of what refers to them once for each of those. */
const FEW = ['accounts', 'programs', 'webhook_endpoints'];

/** The column that identifies the row is the last of its key; before it comes only the account. */
const FOREIGN_KEYS = `
  SELECT c.conrelid::regclass::text AS "from", a.attname AS column, c.confrelid::regclass::text AS "to",
    EXISTS (
      SELECT 1 FROM pg_index i
      WHERE i.indrelid = c.conrelid AND i.indkey[0] = a.attnum AND i.indisvalid
        AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = '(' || a.attname || ' IS NOT NULL)')
    ) AS "isIndexed"
  FROM pg_constraint c
  JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[cardinality(c.conkey)]
  WHERE c.contype = 'f'`;

interface ForeignKey {
  from: string;
  column: string;
  to: string;
  isIndexed: number;
}

let test: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  test = await createTestDatabase('postgres');
});
afterAll(() => test.remove());

it('no foreign key leads from an unindexed column to a table whose rows are deleted in bulk', async () => {
  const keys = await test.database.read((tx) => tx.all<ForeignKey>(FOREIGN_KEYS));
  expect(keys).toContainEqual({ from: 'sales', column: 'customer_id', to: 'customers', isIndexed: 1 });
  expect(keys).toContainEqual({ from: 'customers', column: 'click_id', to: 'clicks', isIndexed: 1 });
  expect(keys.filter(({ to, isIndexed }) => isIndexed === 0 && !FEW.includes(to))).toEqual([]);
});
