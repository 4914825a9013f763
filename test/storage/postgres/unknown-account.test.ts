import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transaction } from '../../../src/storage/database.ts';
import { toNumberedSql, valuesFor } from '../../../src/storage/sql-text.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { fillAccount, filledId } from '../../helpers/filled-database.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';
import { findQueryTexts, type QueryText } from '../../helpers/query-texts.ts';

const SALES = 5_000;
const accountId = filledId('acc', 2, 1);

/** The rows that a statement reads and leaves out, when it is prepared and executed in this unit. */
async function rowsLeftOut(tx: Transaction, sql: string, parameters: Record<string, string>): Promise<number> {
  const { text, names } = toNumberedSql(sql);
  await tx.run(`PREPARE lookup AS ${text}`, {});
  const values = valuesFor(names, parameters).map((value) => `'${value}'`);
  const plan = await tx.all<Record<string, string>>(`EXPLAIN (ANALYZE) EXECUTE lookup (${values.join(', ')})`, {});
  await tx.run('DEALLOCATE lookup', {});
  const counts = plan.flatMap(
    (row) => /Rows Removed by \w+(?: \w+)*: (\d+)/.exec(String(row['QUERY PLAN']))?.[1] ?? [],
  );
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

describe('on PostgreSQL, an account that the statistics do not know yet', () => {
  let test: TestDatabase;
  let texts: QueryText[];

  /** Puts all payouts of an account into one file. */
  const putIntoFile = (account: number) => {
    const [file, owner] = [filledId('pfl', account, 1), filledId('acc', account, 1)];
    return executeOnServer(
      test.url,
      `INSERT INTO payout_files (id, account_id, rail, currency, payout_count, amount, content_type, file_name, created_at,
         created_by) VALUES ('${file}', '${owner}', 'sepa', 'eur', 1, 1, 'text/csv', 'a', 1, 'x');
       INSERT INTO payout_file_rows (file_id, payout_id, live) SELECT '${file}', id, 1 FROM payouts WHERE account_id = '${owner}'`,
    );
  };

  beforeAll(async () => {
    test = await createTestDatabase('postgres');
    ({ texts } = await findQueryTexts());
    const tables = await executeOnServer(test.url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    for (const { tablename } of tables as { tablename: string }[]) {
      await executeOnServer(test.url, `ALTER TABLE ${tablename} SET (autovacuum_enabled = off)`);
    }
    const fill = (account: number) =>
      test.database.write(
        (tx) => fillAccount((sql, parameters) => tx.run(sql, parameters), { account, sales: SALES }),
        {
          alone: true,
        },
      );
    await fill(1);
    await putIntoFile(1);
    await executeOnServer(test.url, 'ANALYZE');
    await fill(2);
  });
  afterAll(() => test.remove());

  it.each([
    ['payments.isCustomersAddress', { email: 'nobody@example.com' }],
    ['payments.findOwnerByEmail', { email: 'nobody@example.com' }],
    ['payments.findInvoiceId', { saleId: 'sal_unknown' }],
    ['payments.findReversibleSale', { saleId: 'sal_unknown' }],
  ])('finds a row for %s without reading the others', async (query, parameters) => {
    const sql = texts.find((one) => one.query === query)?.sql ?? '';
    expect(await test.database.write((tx) => rowsLeftOut(tx, sql, { accountId, ...parameters }))).toBe(0);
  });

  it('has the payouts of a file counted without comparing each with all of them', async () => {
    const sql = texts.find(({ query }) => query === 'payouts.countStillProcessing')?.sql ?? '';
    const fileId = filledId('pfl', 2, 1);
    await executeOnServer(test.url, `UPDATE payouts SET status = 'processing' WHERE account_id = '${accountId}'`);
    await putIntoFile(2);
    const leftOut = (tx: Transaction) => rowsLeftOut(tx, sql, { accountId, fileId });
    expect(await test.database.write(leftOut, { alone: true })).toBe(0);
  });
});
