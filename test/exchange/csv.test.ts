import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import { readCsv } from '../../src/exchange/csv-rows.ts';
import { listPartners } from '../../src/programs/partners.ts';
import { partnerListQuery } from '../../src/programs/schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';
import { counts, type ImportTextOptions, importCsvText } from './import-text.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-csv-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileOf(text: string | Buffer): Promise<string> {
  const path = join(folder, `${unique('file')}.csv`);
  await writeFile(path, text);
  return path;
}

async function rowsIn(text: string | Buffer) {
  const rows = [];
  for await (const { separator: _, ...row } of readCsv(createReadStream(await fileOf(text)))) rows.push(row);
  return rows;
}

describe('the rows of a CSV file', () => {
  it('may have quotes, line breaks in cells, a byte order mark, empty rows and no last line break', async () => {
    expect(await rowsIn('\uFEFFa, b\r\n"x ""1""","two\r\nlines"\r\n\r\n ,""\r\n3,')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['x "1"', 'two\r\nlines'] },
      { line: 6, cells: ['3', ''] },
    ]);
  });

  it('may be separated by semicolons or tabs', async () => {
    expect((await rowsIn('a;b;c, d\n1;2;3'))[1]?.cells).toEqual(['1', '2', '3']);
    expect((await rowsIn('a\tb\n1\t2'))[1]?.cells).toEqual(['1', '2']);
    expect(await rowsIn('\uFEFFsep=;\r\na\r\n1,2')).toEqual([
      { line: 2, cells: ['a'] },
      { line: 3, cells: ['1,2'] },
    ]);
  });

  it('are complete wherever the file is cut into chunks', async () => {
    const cell = `"${'é\r\n'.repeat(30_000)}"`;
    const rows = await rowsIn(`a,b\r\n${`${cell},x\r\n`.repeat(5)}`);
    expect(rows.slice(1).map(({ cells }) => [cells[0]?.length, cells[1]])).toEqual(Array(5).fill([89_998, 'x']));
  });

  it('may be UTF-16 with a byte order mark, but not damaged UTF-16', async () => {
    const text = `a\tb\r\n${'é😀\tx\r\n'.repeat(10_000)}`;
    const little = Buffer.from(`\uFEFF${text}`, 'utf16le');
    const rows = await rowsIn(text);
    expect(await rowsIn(little)).toEqual(rows);
    expect(await rowsIn(Buffer.from(little).swap16())).toEqual(rows);
    await expect(rowsIn(little.subarray(0, -1))).rejects.toThrow(/not UTF-8/);
  });

  it('keep quotes inside a cell that does not begin with one', async () => {
    expect((await rowsIn('a,b\n1,Tom 6" Miller\n2, "x, y" \n3,7" Pipe\n')).slice(1)).toEqual([
      { line: 2, cells: ['1', 'Tom 6" Miller'] },
      { line: 3, cells: ['2', 'x, y'] },
      { line: 4, cells: ['3', '7" Pipe'] },
    ]);
  });

  it('are separated by what separates the headings, not by what their quotes contain', async () => {
    expect(await rowsIn('"E-mail","Name; company; shop"\n1,2\n')).toMatchObject([
      { cells: ['E-mail', 'Name; company; shop'] },
      { cells: ['1', '2'] },
    ]);
  });

  it('have a flaw when text follows a closing quote, because it may have swallowed the next rows', async () => {
    const text = 'a,b\n1,"The Shop\n2,"Bea"\n3,"Tom" Miller\n4,"Dan"\n';
    expect(await rowsIn(text)).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1', expect.any(String)], flaw: expect.stringMatching(/^Lines 2 to 3: text follows/) },
      { line: 4, cells: ['3', expect.any(String)], flaw: expect.stringMatching(/^Line 4: text follows/) },
      { line: 5, cells: ['4', 'Dan'] },
    ]);
  });

  it('have a flaw when a character is NUL, as in UTF-16 without a byte order mark', async () => {
    const flaw = expect.stringMatching(/^Line 1: a character is NUL/);
    expect((await rowsIn(Buffer.from('a,b\n', 'utf16le')))[0]).toMatchObject({ line: 1, flaw });
  });

  it('are refused when a quote is never closed', async () => {
    await expect(rowsIn('a,b\n1,"2\n3,4\n')).rejects.toThrow(/ends inside the quotes that begin in the row at line 2/);
  });
});

describe.each(engines)('an import from CSV, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const importText = (kind: CsvKind, text: string, options: ImportTextOptions = {}) =>
    importCsvText(app, folder, kind, { text, ...options });

  it('reports in a dry run what it would do row by row, does that, and nothing when repeated', async () => {
    const text =
      'E-mail,First name,Last name,Coupon,Notes,\r\n' +
      'Ana@example.com,Ana,Ünal,ANA10|ANA20,x\r\n' +
      'not an address,Bob,,,x\r\n' +
      'ana@example.com,Ana again,,,x\r\n' +
      'cleo@example.com,Cleo,,ana10,x\r\n';
    const dry = await importText('partners', text, { isDryRun: true });
    expect(dry).toMatchObject({ dryRun: true, rows: 4, ...counts(1, 1, 2), ignoredColumns: ['Notes'] });
    expect((await app.call('GET', '/api/partners')).body.data).toEqual([]);
    const real = await importText('partners', text);
    expect(real).toMatchObject({ dryRun: false, rows: 4, ...counts(1, 1, 2) });
    expect(real.report.split('\r\n').slice(0, 3)).toEqual([
      'line,result,key,reason',
      '2,created,ana@example.com,',
      expect.stringMatching(/^3,refused,not an address,.*email/),
    ]);
    expect((await app.call('GET', '/api/partners')).body.data).toMatchObject([
      { name: 'Ana Ünal', email: 'ana@example.com', discountCodes: ['ANA10', 'ANA20'] },
    ]);
    expect(await importText('partners', text)).toMatchObject(counts(0, 2, 2));
  });

  it('refuses a row with text after a closing quote, and imports the others', async () => {
    const address = () => `${unique('quoted')}@example.com`;
    const [first, last] = [address(), address()];
    const text = `email,name\n${first},Tom 6" Miller\n${address()},"The Shop\n${address()},"Bea"\n${last},7" Pipe\n`;
    const imported = await importText('partners', text);
    expect(imported).toMatchObject({ rows: 3, ...counts(2, 0, 1) });
    expect(imported.problems).toMatchObject([{ line: 3, reason: expect.stringContaining('Lines 3 to 4') }]);
    for (const [email, name] of [[first, 'Tom 6" Miller'] as const, [last, '7" Pipe'] as const]) {
      expect((await app.call('GET', `/api/partners?email=${email}`)).body.data).toMatchObject([{ name }]);
    }
    await expect(importText('partners', 'email,"na"me\n')).rejects.toThrow(/Line 1: text follows a closing quote/);
  });

  it('tries a row again after the database failed, whether it was stored or not', async () => {
    const { database } = app.service;
    let units = 0;
    const write: typeof database.write = async (unit, options) => {
      units += 1;
      if (units === 1) throw new ServiceError('UNAVAILABLE', 'The database cannot be reached');
      const result = await database.write(unit, options);
      if (units === 3) throw new ServiceError('OUTCOME_UNKNOWN', 'The connection was lost during the commit');
      return result;
    };
    const failing = { ...app, service: { ...app.service, database: { ...database, write } } };
    const emails = [unique('pat'), unique('pia'), unique('pam')].map((name) => `${name}@example.com`);
    const imported = await importCsvText(failing, folder, 'partners', { text: ['email', ...emails].join('\n') });
    expect(imported).toMatchObject({ rows: 3, ...counts(2, 1, 0) });
    const { data } = await listPartners(app.service, app.accountId, parseInput(partnerListQuery, { limit: '3' }));
    expect(data.map(({ email }) => email)).toEqual(emails.toReversed());
  });

  it('keeps the keys of links, and never gives one to another partner', async () => {
    await importText('partners', 'email,name\neva@example.com,Eva\nfay@example.com,Fay\n');
    const text =
      'Affiliate,Referral slug,Landing page\n' +
      'eva@example.com,eva,https://shop.example.com/\n' +
      'fay@example.com,eva,https://shop.example.com/\n' +
      'nobody@example.com,nobody,https://shop.example.com/\n' +
      'fay@example.com,fay,javascript:alert(1)\n';
    const map: [string, string][] = [['Referral slug', 'key']];
    await expect(importText('links', text)).rejects.toThrow(
      /key: has no column: name its heading with --map "heading=key" \(headings of the file: Affiliate, Referral slug,/,
    );
    const imported = await importText('links', text, { map });
    expect(imported).toMatchObject(counts(1, 0, 3));
    expect(imported.problems.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('is the link of another partner'),
      expect.stringContaining('nobody@example.com'),
      expect.stringContaining('url'),
    ]);
    expect(await importText('links', text, { map })).toMatchObject(counts(0, 1, 3));
    const links = (await app.call('GET', '/api/links')).body.data;
    expect(links).toMatchObject([{ key: 'eva', url: 'https://shop.example.com/' }]);
  });

  it('reads decimal commas where semicolons separate cells, unless they may be thousands', async () => {
    const fay = `${unique('fay')}@example.com`;
    await importText('partners', `email;name\n${fay};Fay\n`);
    const row = (id: string, amount: string, currency = 'USD') =>
      `${id}${fay};${fay};${amount};${currency};due;2026-01-05\n`;
    const rows = row('g1', '12,5') + row('g2', '-2,50') + row('g3', '3.25') + row('g4', '"40,00"', 'JPY');
    const bad = row('g5', '1,234', 'KWD') + row('g6', '1.234,50') + row('g7', '1,5', 'JPY') + row('g8', '1.200');
    const head = 'ID;Affiliate;Commission;Currency;State;Created at\n';
    const imported = await importText('commissions', `sep=;\n${head}${rows}${bad}`);
    expect(imported).toMatchObject(counts(4, 0, 4));
    const reasons = [/"1,234" is not an amount/, /"1.234,50" is not an amount/, /1.5 has more decimals than JPY/];
    for (const [place, reason] of [...reasons, /1.200 has more decimals than USD/].entries())
      expect(imported.problems[place]?.reason).toMatch(reason);
    const { id } = (await app.call('GET', `/api/partners?email=${fay}`)).body.data[0];
    const { data: ledger } = (await app.call('GET', `/api/ledger?partnerId=${id}`)).body;
    expect(ledger.map(({ amount }: { amount: number }) => amount)).toEqual([40, 325, -250, 1_250]);
  });

  it('binds customers to their partner, so that a later renewal and a parked one are attributed', async () => {
    const [email, parked, later] = [`${unique('gil')}@example.com`, unique('cus'), unique('cus')];
    await importText('partners', `email,name\n${email},Gil\nhugo@example.com,Hugo\n`);
    const stripe = await createEndpoint(app, 'stripe');
    const renewal = (customer: string) =>
      stripe.deliver(invoicePaid({ invoice: unique('in'), customer, subscription: unique('sub'), amount: 5_000 }));
    expect((await renewal(parked)).body.outcome).toBe('unattributed');
    const text =
      'Customer ID,Partner,E-mail address,Stripe customer ID\n' +
      `user_1,${email},one@example.com,${parked}\n` +
      `user_2,${email},,${later}\n` +
      `user_1,hugo@example.com,,\n` +
      `user_3,hugo@example.com,,${later}\n`;
    // it sees the second partner of one customer, and the second customer of one processor's id
    expect(await importText('customers', text, { isDryRun: true })).toMatchObject({ dryRun: true, ...counts(2, 0, 2) });
    expect((await app.call('GET', '/api/customers')).body.data).toEqual([]);
    expect(await importText('customers', text)).toMatchObject(counts(2, 0, 2));
    expect((await renewal(later)).body.outcome).toBe('sale');
    const sales = (await app.call('GET', '/api/sales')).body.data;
    expect(sales.map((sale: { customer: { externalId: string } }) => sale.customer.externalId)).toEqual([
      'user_2',
      'user_1',
    ]);
    const partner = (await app.call('GET', `/api/partners?email=${email}`)).body.data[0];
    for (const sale of sales) expect(sale.partnerId).toBe(partner.id);
    expect(await importText('customers', text)).toMatchObject(counts(0, 2, 2));
  });
});
