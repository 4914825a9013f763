import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinsFor } from '../../src/audit/joins.ts';
import type { AccountId } from '../../src/core/ids.ts';
import type { SqlParameters } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { fillAccount, filledId } from '../helpers/filled-database.ts';

const LARGE = { account: 1, sales: 400 };
const SMALL = { account: 2, sales: 100 };
const idOf = ({ account }: { account: number }) => filledId('acc', account, 1) as AccountId;

describe.each(engines)('the audits of a large and a small account in one database on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
    for (const filling of [LARGE, SMALL]) {
      const run = (sql: string, parameters: SqlParameters) =>
        app.service.database.write((tx) => tx.run(sql, parameters));
      await fillAccount(run, filling);
    }
  });
  afterAll(() => app.close());

  it('read whole tables only for the large one, on PostgreSQL', async () => {
    const { database } = app.service;
    await database.write((tx) => tx.run('ANALYZE ledger_entries'), { alone: true });
    const joins = await Promise.all([LARGE, SMALL].map((filling) => joinsFor(database, idOf(filling))));
    expect(joins).toEqual([engine === 'sqlite' ? 'each' : 'whole', 'each']);
  });
});
