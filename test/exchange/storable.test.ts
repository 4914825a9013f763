import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { unique } from '../helpers/story.ts';
import { counts, type ImportTextOptions, importCsvText } from './import-text.ts';
import { ANA, importAll, soldAs } from './old-service.ts';

describe.each(engines)('rows with what a database cannot store, on %s', (engine) => {
  let app: TestApp;
  let folder: string;
  const ana = `${unique('ana')}@example.com`;
  beforeAll(async () => {
    app = await createTestApp(engine);
    folder = await mkdtemp(join(tmpdir(), 'refbridge-csv-'));
    await importText('partners', `email,name\n${ana},Ana\n`);
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const importText = (kind: CsvKind, text: string, options: ImportTextOptions = {}) =>
    importCsvText(app, folder, kind, { text, ...options });
  const HEAD =
    'ID,Affiliate,Commission,Currency,State,Created at,Payout,Customer,Sale amount,Invoice,Charge,Processor\n';
  const earningsOf = async (email: string) => {
    const { id } = (await app.call('GET', `/api/partners?email=${email}`)).body.data[0];
    return (await app.call('GET', `/api/partners/${id}/earnings`)).body.data;
  };

  it('are refused with their lines, and the rows beside them are imported', async () => {
    const long = 'x'.repeat(256);
    const row = (cells: Partial<Record<'id' | 'payout' | 'customer' | 'invoice' | 'charge', string>>) => {
      const { id = 'l1', payout = '', customer = 'u1', invoice: name = '', charge: of = '' } = cells;
      return `${id},${ana},1.00,USD,paid,2026-01-05,${payout},${customer},10.00,${name},${of},stripe\n`;
    };
    const rows = [{ id: `${long}12345` }, { payout: long }, { customer: long }, { invoice: long }, { charge: long }];
    const text = rows.map(row).join('') + row({ id: 'l\0' }) + row({ id: 'l9' });
    for (const isDryRun of [true, false]) {
      const { problems, ...imported } = await importText('commissions', HEAD + text, { isDryRun });
      expect(imported).toMatchObject(counts(1, 0, 6));
      expect(problems.map(({ line, reason }) => `${line} ${reason}`)).toEqual([
        '2 id: must have at most 260 characters',
        '3 payout: must have at most 255 characters',
        '4 customer: must have at most 255 characters',
        '5 invoiceId: must have at most 255 characters',
        '6 reference.0: must have at most 255 characters',
        expect.stringMatching(/^7 Line 7: a character is NUL/),
      ]);
    }
    expect(await earningsOf(ana)).toMatchObject([{ paid: 100 }]);
  });

  it.each<[CsvKind, string, string]>([
    ['partners', `email\n${'x'.repeat(300)}@example.com\n`, 'email: must have at most 255 characters'],
    [
      'links',
      `partner,key,url\n${ana},${'x'.repeat(300)},https://x.example.com/\n`,
      'key: must have at most 100 characters',
    ],
  ])('are refused with the column of the file, in %s', async (kind, text, reason) => {
    expect((await importText(kind, text)).problems).toEqual([expect.objectContaining({ line: 2, reason })]);
  });

  it('are refused when they come through an API, with an id of a payment that has NUL', async () => {
    for (const isDryRun of [true, false]) {
      const { reasons } = await importAll(app, [ANA, soldAs('m_1', 'in_\0', [])], isDryRun);
      expect(reasons).toEqual([['m_1', expect.stringMatching(/^invoiceId: must/)]]);
    }
  });

  it('keep a commission whose customer has an address that is none, without the address', async () => {
    const head = 'ID,Affiliate,Commission,Currency,State,Created at,Customer,Sale amount,Customer e-mail\n';
    const externalId = unique('user');
    const text = `${unique('m')},${ana},1.00,USD,due,2026-01-05,${externalId},10.00,no address\n`;
    expect(await importText('commissions', head + text)).toMatchObject(counts(1, 0, 0));
    const { data } = (await app.call('GET', `/api/customers?search=${externalId}`)).body;
    expect(data).toMatchObject([{ externalId, email: null }]);
  });
});
