import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { unique } from '../helpers/story.ts';
import { counts, importCsvText } from './import-text.ts';
import { earningsOf, findings } from './sources/moving.ts';

const HEADS = {
  commissions: 'ID,Affiliate,Commission,Currency,State,Date,Customer,Sale amount,Invoice\n',
  payouts: 'Payout ID,Partner,Amount,Currency,State,Paid at\n',
  sales: 'Invoice,Partner,User ID,Amount,Currency,Date,Commission,Status\n',
  links: 'Partner,Token,Destination\n',
  customers: 'User ID,Affiliate\n',
};

describe.each(engines)('rows with one id that say different things, on %s', (engine) => {
  let app: TestApp;
  let folder: string;
  let [ana, bob] = ['', ''];
  beforeAll(async () => {
    app = await createTestApp(engine);
    folder = await mkdtemp(join(tmpdir(), 'refbridge-csv-'));
  });
  beforeEach(async () => {
    [ana, bob] = [`${unique('ana')}@example.com`, `${unique('bob')}@example.com`];
    await importCsvText(app, folder, 'partners', { text: `email,name\n${ana},Ana\n${bob},Bob\n` });
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Imports the rows with a dry run first, which must come to the same end; `ID` is an id of the test's own. */
  async function importRows(kind: CsvKind & keyof typeof HEADS, rows: readonly string[]) {
    const id = unique('id');
    const text = HEADS[kind] + rows.map((row) => `${row.replaceAll('ID', id)}\n`).join('');
    const dry = await importCsvText(app, folder, kind, { text, isDryRun: true });
    const result = await importCsvText(app, folder, kind, { text });
    expect(resultsIn(dry.report)).toEqual(resultsIn(result.report));
    return { ...result, again: await importCsvText(app, folder, kind, { text }) };
  }
  const resultsIn = (report: string) => report.split('\n').map((line) => line.split(',').slice(0, 2));

  it('are refused when a commission is of another partner', async () => {
    const rows = [`ID,${ana},5.00,USD,due,2026-01-10,,,`, `ID,${bob},5.00,USD,due,2026-01-11,,,`];
    const { problems, again, ...imported } = await importRows('commissions', rows);
    expect(imported).toMatchObject(counts(1, 0, 1));
    expect(problems[0]?.reason).toMatch(/^It was imported for Ana \(ptr_\w+\), and is for Bob \(ptr_\w+\) now: .* id/);
    expect(again).toMatchObject(counts(0, 1, 1));
    const sold = [`ID,${ana},5,USD,due,2026-01-10,ID,50,ID`, `ID,${bob},5,USD,due,2026-01-10,ID,50,ID`];
    expect(await importRows('commissions', sold)).toMatchObject(counts(1, 0, 1));
    expect(await earningsOf(app, ana)).toMatchObject([{ earned: 1_000 }]);
    expect(await earningsOf(app, bob)).toEqual([]);
  });

  it('are refused when a payout is of another partner, and counted once they have ids of their own', async () => {
    const rows = [`ID,${ana},10.00,USD,paid,2026-01-31`, `ID,${bob},10.00,USD,paid,2026-01-31`];
    const { problems, again, ...imported } = await importRows('payouts', rows);
    expect(imported).toMatchObject(counts(1, 0, 1));
    expect(problems[0]?.reason).toMatch(/^It was imported for Ana .* Bob .* now/);
    expect(again).toMatchObject(counts(0, 1, 1));
    const own = rows.map((row, place) => row.replace('ID', `ID-${place}`));
    expect(await importRows('payouts', own.slice(1))).toMatchObject(counts(1, 0, 0));
    expect(await earningsOf(app, bob)).toMatchObject([{ paid: 1_000 }]);
    expect(await findings(app)).toEqual([]);
  });

  it.each([
    ['of another partner, with the same commission', 'BOB', '10.00', ',2.00,due', /for Ana .* for Bob/],
    ['of another amount, with the same commission', 'ANA', '20.00', ',2.00,due', /10\.00 USD .* 20\.00 USD .*one row/],
    ['of another amount, without a commission', 'ANA', '20.00', ',,', /10\.00 USD .* 20\.00 USD .*one row/],
  ])('are refused when a sale is %s', async (_, partner, amount, earned, reason) => {
    const rows = ['ANA,10.00', `${partner},${amount}`].map((row) => {
      const [of, money] = row.replace('ANA', ana).replace('BOB', bob).split(',');
      return `ID,${of},ID,${money},USD,2026-03-01${earned}`;
    });
    const { problems, again, ...imported } = await importRows('sales', rows);
    expect(imported).toMatchObject(counts(1, 0, 1));
    expect(problems[0]?.reason).toMatch(reason);
    expect(again).toMatchObject(counts(0, 1, 1));
  });

  it('are refused when the amounts differ, and are the same otherwise', async () => {
    const commission = (amount: string) => `ID,${ana},${amount},USD,due,2026-01-10,,,`;
    expect(await importRows('commissions', ['5.00', '5', '6.00'].map(commission))).toMatchObject(counts(1, 1, 1));
    const payout = (amount: string) => `ID,${ana},${amount},USD,paid,2026-01-10`;
    expect(await importRows('payouts', ['5.00', '5', '6.00'].map(payout))).toMatchObject(counts(1, 1, 1));
  });

  it('are refused when a link or a customer is of another partner', async () => {
    const link = (of: string) => `${of},ID,https://shop.example.com/`;
    expect(await importRows('links', [ana, ana, bob].map(link))).toMatchObject(counts(1, 1, 1));
    const customer = (of: string) => `ID,${of}`;
    expect(await importRows('customers', [ana, ana.toUpperCase(), bob].map(customer))).toMatchObject(counts(1, 1, 1));
  });

  it('are one commission whatever the case of its partner', async () => {
    const row = (of: string) => `ID,${of},5.00,USD,due,2026-01-10,,,`;
    expect(await importRows('commissions', [ana, ana.toUpperCase()].map(row))).toMatchObject(counts(1, 1, 0));
  });

  it('are two payouts in two currencies', async () => {
    const rows = [`ID,${ana},10,USD,paid,2026-01-31`, `ID,${ana},10,EUR,paid,2026-01-31`];
    expect(await importRows('payouts', rows)).toMatchObject(counts(2, 0, 0));
  });
});
