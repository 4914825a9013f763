import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinsFor } from '../../src/audit/joins.ts';
import type { AccountId } from '../../src/core/ids.ts';
import type { Database, SqlParameters, Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { fillAccount, filledId } from '../helpers/filled-database.ts';

const LARGE = { account: 1, sales: 400 };
const SMALL = { account: 2, sales: 40 };
/** As small, with thousands of partners that have earned nothing. */
const WIDE = { account: 3, sales: 40, idlePartners: 5_000 };
const idOf = ({ account }: { account: number }) => filledId('acc', account, 1) as AccountId;

describe.each(engines)('the audits of large and small accounts in one database on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
    for (const filling of [LARGE, SMALL, WIDE]) {
      const run = (sql: string, parameters: SqlParameters) =>
        app.service.database.write((tx) => tx.run(sql, parameters));
      await fillAccount(run, filling);
    }
    await app.service.database.write((tx) => tx.run('ANALYZE ledger_entries'), { alone: true });
  });
  afterAll(() => app.close());

  it('look up each row of the small one, and of all on SQLite', async () => {
    const { database } = app.service;
    const joins = await Promise.all([LARGE, SMALL, WIDE].map((filling) => joinsFor(database, idOf(filling))));
    const whole = engine === 'sqlite' ? 'each' : 'whole';
    expect(joins).toEqual([whole, 'each', whole]);
  });

  it('are decided by a few entries at a time, because another audit does not wait for long', async () => {
    const { database } = app.service;
    const limits: number[] = [];
    const report: Database['report'] = (unit, options) =>
      database.report((tx) => {
        const get: Transaction['get'] = (sql, parameters) => {
          if (sql.includes('FROM ledger_entries')) limits.push(Number(parameters?.limit));
          return tx.get(sql, parameters);
        };
        return unit({ ...tx, get });
      }, options);
    await joinsFor({ ...database, report }, idOf(LARGE), 20);
    if (engine === 'sqlite') expect(limits).toEqual([]);
    else expect(limits).toEqual([20, 20, 20, expect.any(Number)]);
  });
});
