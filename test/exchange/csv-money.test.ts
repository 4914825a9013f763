import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDITS, runAudit } from '../../src/audit/audits.ts';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import type { MovedFact } from '../../src/exchange/moved/facts.ts';
import { importFacts } from '../../src/exchange/moved/run.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';
import { counts, type ImportTextOptions, importCsvText } from './import-text.ts';

describe.each(engines)('earnings from another service, from CSV files, on %s', (engine) => {
  let app: TestApp;
  let folder: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    folder = await mkdtemp(join(tmpdir(), 'refbridge-csv-'));
    await importText('partners', `email,name\n${ana},Ana\n${bob},Bob\n`);
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const importText = (kind: CsvKind, text: string, options: ImportTextOptions = {}) =>
    importCsvText(app, folder, kind, { text, ...options });

  const [ana, bob] = [`${unique('ana')}@example.com`, `${unique('bob')}@example.com`];
  const HEAD =
    'ID,Affiliate,Commission,Currency,State,Created at,Payout,Customer,Sale amount,Invoice,Charge,Processor\n';
  const commissions = (text: string) => importText('commissions', HEAD + text);
  const earningsOf = async (email: string) => {
    const { id } = (await app.call('GET', `/api/partners?email=${email}`)).body.data[0];
    return (await app.call('GET', `/api/partners/${id}/earnings`)).body.data;
  };
  const findings = async () => {
    const found = await Promise.all(AUDITS.map((audit) => runAudit(app.service, app.accountId, audit)));
    return found.flatMap(({ first }) => first ?? []);
  };
  const [invoice, charge, user] = [unique('in'), unique('ch'), unique('user')];
  const FIRST =
    `c1,${ana},20.00,USD,paid,2026-01-05,po1,${user},100.00,,,\n` +
    `c2,${ana},10.5,USD,due,2026-02-05,,${user},52.50,${invoice},${charge},stripe\n` +
    `c3,${ana},7,USD,voided,2026-02-06,,${user},35,,,\n` +
    `c4,${bob},500,JPY,paid,2026-01-05,,,,,,\n`;
  it('are open, paid or reversed as they were there, in the dry run too, and never counted or paid twice', async () => {
    const dry = await importText('commissions', HEAD + FIRST, { isDryRun: true });
    expect(dry).toMatchObject({ rows: 4, ...counts(4, 0, 0) });
    expect(await earningsOf(ana)).toEqual([]);
    expect(await commissions(FIRST)).toMatchObject({ rows: 4, ...counts(4, 0, 0) });
    const earned = { currency: 'usd', earned: 3_750, reversed: 700, held: 0, payable: 1_050, paid: 2_000 };
    expect(await earningsOf(ana)).toEqual([earned]);
    expect(await earningsOf(bob)).toMatchObject([{ currency: 'jpy', earned: 500, payable: 0, paid: 500 }]);
    expect(await commissions(FIRST)).toMatchObject(counts(0, 4, 0));
    expect(await earningsOf(ana)).toEqual([earned]);
    const run = (await app.call('POST', '/api/payouts/run', { body: { dryRun: true } })).body;
    expect(run.totals).toMatchObject([{ currency: 'usd', amount: 1_050 }]);
    const { data: sales } = (await app.call('GET', `/api/sales?customerExternalId=${user}`)).body;
    expect(sales).toHaveLength(3);
    expect(sales.find((sale: { invoiceId: string }) => sale.invoiceId === invoice)).toMatchObject({
      amount: 5_250,
      commissionAmount: 1_050,
      attribution: { matchedBy: 'by_hand' },
    });
    const ledger = (await app.call('GET', '/api/ledger?currency=jpy')).body.data;
    expect(ledger).toMatchObject([{ saleId: null, amount: 500, reason: 'CSV file, commission c4' }]);
    expect(await findings()).toEqual([]);
  });

  it('follow their status there: paid, then reversed, and never backwards', async () => {
    const paid = FIRST.replace('USD,due', 'USD,paid');
    expect(await commissions(paid)).toMatchObject({ ...counts(0, 3, 0), changed: 1 });
    expect(await earningsOf(ana)).toMatchObject([{ payable: 0, paid: 3_050 }]);
    const back = await commissions(`c2,${ana},10.5,USD,due,2026-02-05,,${user},52.50,${invoice},${charge},stripe\n`);
    expect(back.problems[0]?.reason).toMatch(/was paid when it was imported, and is open .* adjustment/);
    await commissions(FIRST.replace('USD,due', 'USD,refunded'));
    expect(await earningsOf(ana)).toMatchObject([{ earned: 3_750, reversed: 1_750, payable: -1_050, paid: 3_050 }]);
    expect(await findings()).toEqual([]);
  });

  it('count in the year in which they were paid, also without a payout', async () => {
    const head = 'ID,Affiliate,Commission,Currency,State,Date,Paid date\n';
    const [id, cleo] = [unique('c'), `${unique('cleo')}@example.com`];
    await importText('partners', `email,name\n${cleo},Cleo\n`);
    const importPaid = (date: string) =>
      importText('commissions', `${head}${id},${cleo},20.00,GBP,paid,2023-12-20,${date}\n`);
    const yearsOf = async () => {
      const years = await Promise.all([2023, 2024].map((year) => app.call('GET', `/api/payouts/totals?year=${year}`)));
      return years.map(({ body }) => body.data.map(({ amount }: { amount: number }) => amount));
    };
    expect(await importPaid('2024-01-31')).toMatchObject(counts(1, 0, 0));
    expect(await yearsOf()).toEqual([[], [2_000]]);
    expect(await importPaid('2024-01-31')).toMatchObject(counts(0, 1, 0));
    // what an earlier version stored with another date is corrected by the next import
    expect(await importPaid('2023-12-31')).toMatchObject({ ...counts(0, 0, 0), changed: 1 });
    expect(await yearsOf()).toEqual([[2_000], []]);
    expect(await importPaid('')).toMatchObject(counts(0, 1, 0));
    expect(await findings()).toEqual([]);
  });

  it('are refused when they would have to be guessed', async () => {
    const bad =
      `d1,${ana},1,USD,thinking,2026-01-05,,,,,,\n` +
      `d2,${ana},1,Dollars,due,2026-01-05,,,,,,\n` +
      `d3,${ana},1.005,USD,due,2026-01-05,,,,,,\n` +
      `d4,${ana},"1,5",USD,due,2026-01-05,,,,,,\n` +
      `d5,${ana},1,USD,due,05/01/2026,,,,,,\n` +
      `d6,${ana},1,USD,due,2026-02-30,,,,,,\n` +
      `d7,nobody@example.com,1,USD,due,2026-01-05,,,,,,\n` +
      `d8,${ana},1,USD,due,2026-01-05,,,9.00,,,\n` +
      `c1,${ana},21.00,USD,paid,2026-01-05,po1,${user},100.00,,,\n`;
    const { refused, problems } = await commissions(bad);
    expect(refused).toBe(9);
    const reasons = [
      /status: "thinking" is not known/,
      /not an ISO 4217/,
      /more decimals than USD/,
      /not an amount/,
      /not a date/,
    ];
    const more = [/not a date/, /nobody@example.com/, /saleAmount and customer/, /20.00 USD .* and is 21.00 USD now/];
    for (const [place, reason] of [...reasons, ...more].entries()) expect(problems[place]?.reason).toMatch(reason);
  });

  it('may be sales, and payouts that are compared with their commissions or replace them', async () => {
    const stripe = await createEndpoint(app, 'stripe');
    const [bought, buyer] = [unique('in'), unique('user')];
    const sales =
      'Invoice,Partner,User ID,Amount,Currency,Date,Commission,Status,Processor\n' +
      `${bought},${bob},${buyer},40.00,EUR,2026-03-01 10:00,8.00,pending,stripe\n` +
      `${unique('in')},${bob},${buyer},10,EUR,2026-03-02,,,\n`;
    expect(await importText('sales', sales)).toMatchObject(counts(2, 0, 0));
    expect(await importText('sales', sales)).toMatchObject(counts(0, 2, 0));
    // the processor reports the same invoice again
    const again = invoicePaid({
      invoice: bought,
      customer: unique('cus'),
      subscription: unique('sub'),
      amount: 4_000,
    });
    expect((await stripe.deliver(again)).body.outcome).toBe('duplicate');
    expect(await earningsOf(bob)).toMatchObject([{ currency: 'eur', earned: 800, paid: 0 }, { currency: 'jpy' }]);
    const payouts =
      'Payout ID,Partner,Amount,Currency,State,Paid at\n' +
      `po1,${ana},20,USD,paid,2026-02-01\n` +
      `po2,${bob},33.30,EUR,paid,2025-12-01\n` +
      `po3,${bob},1,EUR,pending,2025-12-01\n`;
    const imported = await importText('payouts', payouts);
    expect(imported).toMatchObject({ ...counts(1, 0, 1), changed: 1 });
    expect(imported.problems[0]?.reason).toMatch(/is pending, so nothing was paid/);
    expect(await importText('payouts', payouts)).toMatchObject(counts(0, 2, 1));
    // the payout's own date decides in which year it counts, not that of its commissions
    const { data } = (await app.call('GET', '/api/payouts?status=paid')).body;
    expect(data.map(({ paidAt }: { paidAt: string }) => paidAt)).toContain('2026-02-01T00:00:00.000Z');
    const corrected = payouts.replace('2026-02-01', '2026-01-05');
    expect(await importText('payouts', corrected)).toMatchObject({ ...counts(0, 1, 1), changed: 1 });
    expect(await earningsOf(bob)).toMatchObject([{ currency: 'eur', earned: 4_130, paid: 3_330 }, {}]);
    expect(await findings()).toEqual([]);
  });

  it('may be negative, as for a refund: then they lower what is owed or what was paid, and have no sale', async () => {
    const cem = `${unique('cem')}@example.com`;
    await importText('partners', `email,name\n${cem},Cem\n`);
    const sold = unique('in');
    const rows =
      `n1,${cem},20.00,USD,paid,2026-01-05,po9,${user},100.00,${sold},,\n` +
      `n2,${cem},-5.00,USD,paid,2026-01-20,po9,,,${sold},,\n` +
      `n3,${cem},10,USD,due,2026-02-05,,,,,,\n` +
      `n4,${cem},-4,USD,due,${new Date(app.service.clock()).toISOString()},,,,${sold},,\n` +
      `n5,${cem},-3,USD,voided,2026-02-05,,,,,,\n` +
      `n6,${cem},-2,USD,due,2026-02-05,,${user},-10,,,\n`;
    expect(await importText('commissions', HEAD + rows, { isDryRun: true })).toMatchObject(counts(5, 0, 1));
    const imported = await commissions(rows);
    expect(imported).toMatchObject(counts(5, 0, 1));
    expect(imported.problems).toMatchObject([{ key: 'n6', reason: expect.stringMatching(/^An amount is negative/) }]);
    expect(await commissions(rows)).toMatchObject(counts(0, 5, 1));
    const payout = `Payout ID,Partner,Amount,Currency,State,Paid at\npo9,${cem},15.00,USD,paid,2026-02-01\n`;
    expect(await importText('payouts', payout)).toMatchObject({ ...counts(0, 0, 0), changed: 1 });
    expect(await earningsOf(cem)).toMatchObject([{ earned: 2_100, reversed: 0, held: 0, payable: 600, paid: 1_500 }]);
    expect(await findings()).toEqual([]);
  });

  it('may not be a payout that could have paid commissions which name none', async () => {
    const dan = `${unique('dan')}@example.com`;
    await importText('partners', `email,name\n${dan},Dan\n`);
    await commissions(`s1,${dan},20.00,USD,paid,2026-01-05,,,,,,\nof nothing,${dan},0,EUR,paid,2026-01-05,,,,,,\n`);
    const payout = (currency: string, amount = '20.00', id = 'po') =>
      `Payout ID,Partner,Amount,Currency,State,Paid at\n${id}-${dan},${dan},${amount},${currency},paid,2026-02-01\n`;
    const asked = await importText('payouts', payout('USD'));
    expect(asked).toMatchObject(counts(0, 0, 1));
    expect(asked.problems[0]?.reason).toMatch(/imported as paid without naming a payout, such as that in pay_\w+: if/);
    expect(await importText('payouts', payout('USD', '0.00', 'empty'))).toMatchObject(counts(1, 0, 0));
    expect(await earningsOf(dan)).toMatchObject([{ earned: 0 }, { earned: 2_000, paid: 2_000 }]);
    expect(await importText('payouts', payout('EUR'))).toMatchObject(counts(1, 0, 0));
    expect(await importText('payouts', payout('USD'), { origin: 'Before' })).toMatchObject(counts(1, 0, 0));
  });

  it('may not be paid commissions that name no payout if one was imported that could have paid them', async () => {
    const eve = `${unique('eve')}@example.com`;
    await importText('partners', `email,name\n${eve},Eve\n`);
    const row = (id: string, currency: string, named = '', status = 'paid') =>
      `${id}${eve},${eve},20.00,${currency},${status},2026-01-05,${named},,,,,\n`;
    await commissions(row('w0', 'GBP', '', 'due'));
    const payout = `Payout ID,Partner,Amount,Currency,State,Paid at\npo-${eve},${eve},20.00,USD,paid,2026-02-01\n`;
    const others = `po-${eve},${eve},20.00,GBP,paid,2026-02-01\nof nothing,${eve},0.00,EUR,paid,2026-02-01\n`;
    expect(await importText('payouts', payout + others)).toMatchObject(counts(3, 0, 0));
    const imported = await commissions(row('w1', 'USD') + row('w2', 'EUR') + row('w3', 'USD', `later-${eve}`));
    expect(imported).toMatchObject(counts(2, 0, 1));
    expect(imported.problems[0]?.reason).toMatch(/^It is paid and names no payout, and pay_\w+ .* as a whole: if/);
    expect(await commissions(row('w4', 'EUR'))).toMatchObject(counts(1, 0, 0));
    const { problems } = await commissions(row('w0', 'GBP') + row('w0', 'GBP', `po-${eve}`));
    const isDeducted = ({ reason }: { reason: string }) => /: (if .*, )?deduct it with an adjustment/.test(reason);
    expect(problems.map(isDeducted)).toEqual([true, true]);
    expect(await earningsOf(eve)).toMatchObject([{ paid: 4_000 }, { payable: 2_000, paid: 2_000 }, { paid: 4_000 }]);
    expect(await findings()).toEqual([]);
  });

  it('may be payouts of at most the largest amount of a commission, and never less than nothing', async () => {
    const payouts =
      'Payout ID,Partner,Amount,Currency,State,Paid at\n' +
      `large1,${bob},90071992547409.91,CHF,paid,2026-02-01\n` +
      `large2,${bob},10000000000.01,CHF,paid,2026-02-02\n` +
      `large3,${bob},10000000000.00,CHF,paid,2026-02-03\n`;
    const imported = await importText('payouts', payouts);
    expect(imported).toMatchObject(counts(1, 0, 2));
    for (const { reason } of imported.problems) expect(reason).toMatch(/^Its amount is negative or too large/);
    const negative: MovedFact = {
      kind: 'payout',
      id: 'negative',
      partnerId: bob,
      amountMinor: -1,
      currency: 'chf',
      paidAt: Date.parse('2026-02-04'),
    };
    const target = { service: app.service, accountId: app.accountId, programId: null } as const;
    const { refused } = await importFacts(
      { ...target, source: { name: 'other', title: 'Other' }, partnersBy: 'address' },
      (async function* () {
        yield negative;
      })(),
      { isDryRun: false, reportPath: null },
    );
    expect(refused).toBe(1);
    expect((await app.call('GET', '/api/overview')).body.owed.paid).toMatchObject({ chf: 1_000_000_000_000 });
    expect(await findings()).toEqual([]);
  });
});
