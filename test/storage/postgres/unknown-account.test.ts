import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlParameters, Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { toNumberedSql, valuesFor } from '../../../src/storage/sql-text.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { fillAccount, filledId } from '../../helpers/filled-database.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';
import { analyzeAsIfOf, stopAutovacuum } from '../../helpers/postgres-statistics.ts';
import { findQueryTexts, type QueryText } from '../../helpers/query-texts.ts';

const SALES = 5_000;
const accountId = filledId('acc', 2, 1);

/** The rows that a statement reads and leaves out, when it is prepared and executed in this unit. */
async function rowsLeftOut(tx: Transaction, sql: string, parameters: SqlParameters): Promise<number> {
  const { text, names } = toNumberedSql(sql);
  await tx.run(`PREPARE lookup AS ${text}`, {});
  const values = valuesFor(names, parameters).map((value) => `'${value}'`);
  const plan = await tx.all<PlanLine>(`EXPLAIN (ANALYZE) EXECUTE lookup (${values.join(', ')})`, {});
  await tx.run('DEALLOCATE lookup', {});
  return countLeftOut(plan);
}

/** The same on a connection that plans each execution for its values. */
async function rowsLeftOutForValues(tx: Transaction, sql: string, parameters: SqlParameters): Promise<number> {
  return countLeftOut(await tx.all<PlanLine>(`EXPLAIN (ANALYZE) ${sql}`, parameters));
}

type PlanLine = Record<string, string>;

function countLeftOut(plan: PlanLine[]): number {
  const counts = plan.flatMap(
    (row) => /Rows Removed by \w+(?: \w+)*: (\d+)/.exec(String(row['QUERY PLAN']))?.[1] ?? [],
  );
  return counts.reduce((sum, count) => sum + Number(count), 0);
}

/** By query: the parameters with which it finds nothing. */
const LOOKUPS: Readonly<Record<string, SqlParameters>> = {
  'payments.isCustomersAddress': { email: 'nobody@example.com' },
  'payments.findOwnerByEmail': { email: 'nobody@example.com' },
  'payments.findInvoiceId': { saleId: 'sal_unknown' },
  'payments.findReversibleSale': { saleId: 'sal_unknown' },
};

const BY_IDS = [
  'audit.findSaleBalances',
  'compat.findSaleNames',
  'payments.findSalesByIds',
  'payments.findReversibleSales',
];

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
    await stopAutovacuum(test.url);
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

  const textOf = (query: string) => texts.find((one) => one.query === query)?.sql ?? '';

  it.each(Object.entries(LOOKUPS))('finds a row for %s without reading the others', async (query, parameters) => {
    const { database } = test;
    expect(await database.write((tx) => rowsLeftOut(tx, textOf(query), { accountId, ...parameters }))).toBe(0);
  });

  it.each(Object.entries(LOOKUPS))(
    'nor does a unit of its own for %s, or one behind a pooler',
    async (query, parameters) => {
      const count = (tx: Transaction) => rowsLeftOutForValues(tx, textOf(query), { accountId, ...parameters });
      expect(await test.database.write(count, { alone: true })).toBe(0);
      const pooled = await openDatabase(`${test.url}?pgbouncer=true`);
      expect(await pooled.write(count)).toBe(0);
      await pooled.close();
    },
  );

  it('has the payouts of a file counted without comparing each with all of them', async () => {
    const fileId = filledId('pfl', 2, 1);
    await executeOnServer(test.url, `UPDATE payouts SET status = 'processing' WHERE account_id = '${accountId}'`);
    await putIntoFile(2);
    const leftOut = (tx: Transaction) => rowsLeftOut(tx, textOf('payouts.countStillProcessing'), { accountId, fileId });
    expect(await test.database.write(leftOut, { alone: true })).toBe(0);
  });

  it('has sales found by their ids without reading the others, where most accounts are small', async () => {
    await analyzeAsIfOf(test.url, 2_000);
    const ids = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`id${n}`, filledId('sal', 2, n + 1)]));
    for (const sql of BY_IDS.map(textOf)) {
      expect(await test.database.write((tx) => rowsLeftOut(tx, sql, { accountId, ...ids }))).toBe(0);
      const count = (tx: Transaction) => rowsLeftOutForValues(tx, sql, { accountId, ...ids });
      expect(await test.database.write(count, { alone: true })).toBe(0);
    }
  });
});
