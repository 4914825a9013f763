import { describe, expect, it } from 'vitest';
import { checkResults } from '../../src/audit/results.ts';
import type { Database, SqlParameters } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createTestApp } from '../helpers/app.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { migrationsBefore } from '../helpers/earlier-migrations.ts';
import { sell } from '../helpers/earning.ts';
import { applyFacts, hints, received, referenced } from '../helpers/facts.ts';
import { createTestService } from '../helpers/service.ts';
import { createReferrer, unique } from '../helpers/story.ts';
import { tablesOf } from '../privacy/tables-of.ts';

const DAY_MS = 86_400_000;

/** The tables whose rows the results sum up, in the order of their references. */
const SOURCES = [
  'accounts',
  'programs',
  'partners',
  'links',
  'clicks',
  'link_clicks',
  'customers',
  'leads',
  'payments',
  'sales',
  'ledger_entries',
];

/**
 * The sums of partners by link, and of programs; a click does not record who owned its link, so clicks are counted by
 * link only.
 */
const SUMS = [
  `SELECT owner_id, part, span, day, currency, leads, sales, revenue, commission FROM result_days
   WHERE owner_id LIKE 'ptr%' AND (leads <> 0 OR sales <> 0) ORDER BY 1, 2, 3, 4, 5`,
  `SELECT part, span, day, CAST(SUM(clicks) AS BIGINT) AS clicks FROM result_days
   WHERE owner_id LIKE 'ptr%' AND currency = '' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  `SELECT owner_id, day, currency, CAST(SUM(clicks) AS BIGINT) AS clicks, CAST(SUM(leads) AS BIGINT) AS leads,
     CAST(SUM(sales) AS BIGINT) AS sales, CAST(SUM(revenue) AS BIGINT) AS revenue,
     CAST(SUM(commission) AS BIGINT) AS commission
   FROM result_days WHERE owner_id LIKE 'prg%' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  'SELECT link_id, partner_id FROM link_holders ORDER BY 1, 2',
];

function sumsIn(database: Database) {
  return database.read(async (tx) => {
    const sums = [];
    for (const sql of SUMS) sums.push(await tx.all(sql));
    return sums;
  });
}

describe.each(engines)('the migration to results per day, on %s', (engine) => {
  it('sums up what earlier versions stored as if it had been counted', async () => {
    let now = Date.UTC(2026, 9, 30, 23);
    const app = await createTestApp(engine, { service: { clock: () => now } });
    const { service, accountId } = app;
    const [pia, bo] = [await createReferrer(app), await createReferrer(app, { discountCodes: ['BO'] })];
    const customer = unique('user');
    await pia.lead(customer);
    const saleId = await sell(app, pia, { customerExternalId: customer, invoiceId: 'in_1' });
    await sell(app, pia, { currency: 'eur' });
    now += DAY_MS;
    await app.call('POST', `/api/sales/${saleId}/refunds`, { body: { refundId: 're_1', amount: 2_500 } });
    await app.call('PATCH', `/api/links/${pia.linkId}`, { body: { partnerId: bo.partnerId } });
    await pia.lead(customer, { eventName: 'Trial' });
    await sell(app, pia);
    await applyFacts(service, accountId, received(['pi_1'], hints({ externalId: customer })));
    await applyFacts(service, accountId, referenced('pi_1', 'in_1'));
    await applyFacts(service, accountId, { ...received(['pi_2'], hints({})), discountCodes: ['bo'] });
    const expected = await sumsIn(service.database);
    expect(expected.map((rows) => rows.length)).toEqual([12, 3, 5, 3]);

    const earlier = await migrationsBefore('0010');
    const empty = await createEmptyDatabase(engine);
    const before = await openDatabase(empty.url, { migrationsFolder: earlier.folder });
    // later versions have added some columns
    const columns = await tablesOf(before);
    for (const table of SOURCES) {
      const rows = await service.database.read((tx) => tx.all<Record<string, string>>(`SELECT * FROM ${table}`));
      expect(rows.length, table).toBeGreaterThan(0);
      await before.write(async (tx) => {
        for (const row of rows) {
          const known = Object.entries(row).filter(([column]) => columns.get(table)?.includes(column));
          await tx.run(...insert(table, Object.fromEntries(known)));
        }
      });
    }
    await before.close();
    const after = await openDatabase(empty.url);
    expect(await sumsIn(after)).toEqual(expected);
    for await (const { id, message } of checkResults(createTestService({ database: after }), accountId))
      throw new Error(`${id}: ${message}`);
    await after.close();
    await empty.remove();
    await earlier.remove();
    await app.close();
  });
});

function insert(table: string, row: SqlParameters): [string, SqlParameters] {
  const columns = Object.keys(row);
  const values = columns.map((column) => `@${column}`);
  return [`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`, row];
}
