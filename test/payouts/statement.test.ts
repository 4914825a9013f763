import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCsv } from '../../src/core/csv.ts';
import { openStatement } from '../../src/payouts/statement-lines.ts';
import { statementPage } from '../../src/payouts/statement-page.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { expectError } from '../helpers/expect-error.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const SOLD_AT = Date.UTC(2025, 10, 20, 9);
const PAID_AT = Date.UTC(2026, 0, 3);
const EVIL = '=cmd|<script>alert(1)</script>';

describe.each(engines)('statements, on %s', (engine) => {
  let app: TestApp;
  let now = SOLD_AT;
  let ana: Referrer;
  let payoutId: string;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
    ana = await createReferrer(app, { name: EVIL, email: 'ana@example.com', tenantId: 'user_7' });
    const saleId = await sell(app, ana, { amount: 1_234_500, customerEmail: 'mara@example.com' });
    const refund = { refundId: 're_1', amount: 500_000 };
    await app.call('POST', `/api/sales/${saleId}/refunds`, { body: refund });
    const { partnerId } = ana;
    const adjust = (amount: number, currency: string, reason: string) =>
      app.call('POST', '/api/adjustments', { body: { partnerId, amount, currency, reason } });
    await adjust(1_000, 'usd', `Thanks ${EVIL}`);
    await adjust(500, 'jpy', 'A bonus');
    now = PAID_AT;
    await runPayouts(app);
    const processing = await payoutsOf(app, partnerId, 'processing');
    for (const { id } of processing) await app.call('POST', `/api/payouts/${id}/paid`, { body: {} });
    payoutId = processing.find(({ currency }: { currency: string }) => currency === 'usd').id;
  });
  afterAll(() => app.close());

  const statement = (query = '', headers = {}) =>
    app.call('GET', `/api/payouts/${payoutId}/statement${query}`, { headers });

  it('a file says what each entry was for, adds up, and may be given to the partner', async () => {
    const { status, headers, text } = await statement('?format=csv');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="statement-${payoutId}.csv"`);
    const [headings = [], ...lines] = parseCsv(text);
    const shown = lines.map((cells) => Object.fromEntries(headings.map((name, index) => [name, cells[index]])));
    expect(shown.map((line) => [line.line, line.for, line.customer, line.sale_amount, line.amount])).toEqual([
      ['entry', 'Commission', 'm…@example.com', '12345.00', '2469.00'],
      ['entry', 'Reversed', 'm…@example.com', '12345.00', '-1000.00'],
      ['entry', `Adjustment: Thanks ${EVIL}`, '', '', '10.00'],
      ['subtotal', 'Commission', '', '', '2469.00'],
      ['subtotal', 'Reversed', '', '', '-1000.00'],
      ['subtotal', 'Adjustment', '', '', '10.00'],
      ['total', 'Total', '', '', '1479.00'],
    ]);
    const period = { period_from: '2025-11-20T09:00:00.000Z', period_to: '2025-11-20T09:00:00.000Z' };
    for (const line of shown) {
      // what a spreadsheet would evaluate is quoted as text
      expect(line).toMatchObject({ currency: 'USD', partner_id: ana.partnerId, partner_name: `'${EVIL}`, ...period });
    }
  });

  it('a page has the same content, escaped, without any script', async () => {
    const { status, headers, text } = await statement();
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(text).not.toContain('<script');
    expect(text).toContain('Adjustment: Thanks =cmd|&lt;script&gt;');
    for (const shown of [
      '2,469.00',
      '−1,000.00',
      '1,479.00 USD',
      'm…@example.com',
      'Paid on 3 Jan 2026',
      '20 Nov 2025',
    ]) {
      expect(text).toContain(shown);
    }
    expect((await statement('', { accept: 'text/csv' })).text).toBe((await statement('?format=csv')).text);
  });

  it('do not exist for a payout that is not being paid, nor for somebody else’s', async () => {
    const bo = await createReferrer(app);
    await sell(app, bo);
    const [{ id: queued }] = await payoutsOf(app, bo.partnerId, 'queued');
    expectError(await app.call('GET', `/api/payouts/${queued}/statement`), 409, 'INVALID_STATE');
    expectError(await statement('?format=pdf'), 400, 'VALIDATION_ERROR');
    const tokenOf = async ({ partnerId }: Referrer) =>
      (await app.call('POST', '/api/embed/token', { body: { enrollmentId: partnerId } })).body.publicToken;
    const own = (key: string, format: string) =>
      app.call('GET', `/api/embed/referrals/payouts/${payoutId}/statement?format=${format}`, { key });
    const key = await tokenOf(ana);
    expect((await own(key, 'csv')).text).toBe((await statement('?format=csv')).text);
    expect((await own(key, 'html')).text).toBe((await statement()).text);
    for (const format of ['csv', 'html']) expectError(await own(await tokenOf(bo), format), 404, 'NOT_FOUND');
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { portal: { showPayoutHistory: false } } });
    for (const format of ['csv', 'html', 'json']) expectError(await own(key, format), 404, 'NOT_FOUND');
  });

  it('reads entries as they are sent, so that a long one needs little memory', async () => {
    const { accountId } = app;
    const { partnerId } = ana;
    await app.service.database.write(async (tx) => {
      const [{ id } = { id: '' }] = await tx.all<{ id: string }>(
        `SELECT id FROM payouts WHERE partner_id = @partnerId AND currency = 'jpy' AND status = 'paid'`,
        { partnerId },
      );
      const n = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1250)';
      const entryId = `'ent_' || CAST(900000 + i AS TEXT)`;
      await tx.run(
        `INSERT INTO ledger_entries (id, account_id, partner_id, kind, amount, currency, available_at, created_at)
         ${n} SELECT ${entryId}, @accountId, @partnerId, 'adjustment', 1, 'jpy', @now, @now FROM n`,
        { accountId, partnerId, now },
      );
      await tx.run(
        `INSERT INTO payout_entries (payout_id, account_id, entry_id, live)
         ${n} SELECT @id, @accountId, ${entryId}, 1 FROM n`,
        { id, accountId },
      );
      payoutId = id;
    });
    let reads = 0;
    const { database } = app.service;
    const counting = { ...app.service, database: { ...database, report: counted } };
    function counted<Result>(unit: Parameters<typeof database.report<Result>>[0]): Promise<Result> {
      reads += 1;
      return database.report(unit);
    }
    const opened = await openStatement(counting, { accountId, partnerId: null, payoutId });
    const chunks = statementPage(opened);
    await chunks.next();
    expect(reads).toBe(1);
    await chunks.next();
    expect(reads).toBe(2);
    let text = '';
    for await (const chunk of chunks) text += chunk;
    expect(reads).toBe(4);
    expect(text).toContain('1,251 entries');
    // they have no reason
    expect(text).toContain('<td>Adjustment</td>');
  });

  it('the totals of a year contain the payouts that were paid in it', async () => {
    const totals = (query: string) => app.call('GET', `/api/payouts/totals?${query}`);
    const { body } = await totals('year=2026');
    const one = { year: 2026, partnerId: ana.partnerId, tenantId: 'user_7', payoutCount: 1 };
    expect(body.data).toEqual([
      expect.objectContaining({ ...one, currency: 'jpy', amount: 500, amountDecimal: '500' }),
      expect.objectContaining({ ...one, currency: 'usd', amount: 147_900, amountDecimal: '1479.00' }),
    ]);
    expect((await totals(`year=2026&partnerId=${ana.partnerId}`)).body.data).toEqual(body.data);
    expect((await totals('year=2025')).body.data).toEqual([]);
    expectError(await totals('year=26'), 400, 'VALIDATION_ERROR');
    const csv = await totals('year=2026&format=csv');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="payout-totals-2026.csv"');
    expect(csv.text.split('\r\n').at(-2)).toBe(
      `2026,${ana.partnerId},user_7,'${EVIL},ana@example.com,USD,1,1479.00`.replace(`'${EVIL}`, `"'${EVIL}"`),
    );
  });

  it('the totals of a year begin and end with it, in UTC', async () => {
    const bo = await createReferrer(app);
    const paid = async (time: string, amount: number) => {
      const body = { partnerId: bo.partnerId, amount, currency: 'eur', reason: 'A bonus' };
      await app.call('POST', '/api/adjustments', { body });
      await runPayouts(app);
      const [{ id }] = await payoutsOf(app, bo.partnerId, 'processing');
      now = Date.parse(time);
      expect((await app.call('POST', `/api/payouts/${id}/paid`, { body: {} })).status).toBe(200);
    };
    await paid('2027-12-31T23:59:59.999Z', 1);
    await paid('2028-01-01T00:00:00.000Z', 20);
    await paid('2028-02-29T12:00:00.000Z', 300);
    await paid('2028-12-31T23:59:59.999Z', 4_000);
    await paid('2029-01-01T00:00:00.000Z', 50_000);
    const amounts = await Promise.all(
      [2027, 2028, 2029].map((year) => app.call('GET', `/api/payouts/totals?year=${year}&partnerId=${bo.partnerId}`)),
    );
    expect(amounts.map(({ body }) => body.data[0].amount)).toEqual([1, 4_320, 50_000]);
  });

  it('say while a payout is being paid what was reversed, but not why, and no more once it failed', async () => {
    now = SOLD_AT;
    const cy = await createReferrer(app);
    const saleId = await sell(app, cy);
    for (const refundId of ['re_2', 're_3']) {
      await app.call('POST', `/api/sales/${saleId}/refunds`, { body: { refundId, amount: 6_000 } });
    }
    await sell(app, cy, { amount: 5_000 });
    const { data } = (await app.call('GET', `/api/ledger?saleId=${saleId}`)).body;
    expect(data[0].reason).toMatch(/more than the 100.00 USD paid/);
    now = PAID_AT;
    await runPayouts(app);
    payoutId = (await payoutsOf(app, cy.partnerId, 'processing'))[0].id;
    const { status, text } = await statement('?format=csv');
    expect(status).toBe(200);
    const [headings = [], ...lines] = parseCsv(text);
    const [what, amount] = [headings.indexOf('for'), headings.indexOf('amount')];
    expect(lines.slice(0, 4).map((cells) => [cells[what], cells[amount]])).toEqual([
      ['Commission', '20.00'],
      ['Reversed', '-12.00'],
      ['Reversed', '-8.00'],
      ['Commission', '10.00'],
    ]);
    expect((await statement()).status).toBe(200);
    expect((await app.call('POST', `/api/payouts/${payoutId}/failed`)).status).toBe(200);
    const refused = await statement();
    expectError(refused, 409, 'INVALID_STATE');
    expect(refused.body.error.message).toContain('its entries went into another payout');
  });
});
