import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportPayouts } from '../../src/payouts/export.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { failingFor } from '../helpers/failing-account.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const NOW = Date.UTC(2026, 11, 1);

describe.each(engines)('the export of payouts on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let payout: { id: string };
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => NOW } });
    referrer = await createReferrer(app, {
      name: '=HYPERLINK("https://example.com")',
      email: 'ada@example.com',
      tenantId: '+49, "Ada"',
    });
    await sell(app, referrer, { amount: 9_995 });
    await runPayouts(app, { at: '2027-12-31' });
    [payout] = await payoutsOf(app, referrer.partnerId, 'processing');
  });
  afterAll(() => app.close());

  const columns =
    'payout_id,partner_id,tenant_id,partner_name,partner_email,amount,currency,entries,status,processing_at,paid_at,file_id,transfer_status';

  it('is a CSV file whose cells no spreadsheet evaluates', async () => {
    const answer = await app.call('GET', '/api/payouts/export?format=csv');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="payouts-processing-2026-12-01.csv"');
    expect(answer.text).toBe(
      `${columns}\r\n` +
        `${payout.id},${referrer.partnerId},"'+49, ""Ada""","'=HYPERLINK(""https://example.com"")",ada@example.com,` +
        '19.99,USD,1,processing,2026-12-01T00:00:00.000Z,,,\r\n',
    );
  });

  it('has one JSON shape for software', async () => {
    const answer = await app.call('GET', `/api/payouts/export?format=json&partnerId=${referrer.partnerId}`);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual({
      data: [
        {
          id: payout.id,
          partner: {
            id: referrer.partnerId,
            tenantId: '+49, "Ada"',
            name: '=HYPERLINK("https://example.com")',
            email: 'ada@example.com',
          },
          amount: 1999,
          amountDecimal: '19.99',
          currency: 'usd',
          entryCount: 1,
          status: 'processing',
          processingAt: '2026-12-01T00:00:00.000Z',
          paidAt: null,
          fileId: null,
          transferStatus: null,
        },
      ],
    });
  });

  it('names the file that pays a payout, until that file is canceled', async () => {
    const fileIn = async () => (await app.call('GET', '/api/payouts/export?format=json')).body.data[0].fileId;
    const details = { rail: 'paypal', email: 'ada@example.com' };
    await app.call('PUT', `/api/partners/${referrer.partnerId}/payout-details`, { body: details });
    const { id } = (await app.call('POST', '/api/payouts/files', { body: { rail: 'paypal' } })).body;
    expect(await fileIn()).toBe(id);
    expect((await app.call('GET', '/api/payouts/export?format=csv')).text).toContain(`,,${id},\r\n`);
    await app.call('POST', `/api/payouts/files/${id}/cancel`);
    expect(await fileIn()).toBeNull();
  });

  it('contains only payouts of the requested status, and can be empty', async () => {
    expect((await app.call('GET', '/api/payouts/export?status=paid')).text).toBe(`${columns}\r\n`);
    expect((await app.call('GET', '/api/payouts/export?status=paid&format=json')).body).toEqual({ data: [] });
  });

  it('is refused, and not begun, while the database does not answer', async () => {
    const query = { format: 'csv', status: 'processing', partnerId: null } as const;
    const failing = failingFor(app.service, app.accountId);
    await expect(async () => exportPayouts(failing, app.accountId, query)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  it('contains every payout, even when there is more than one page', async () => {
    const more = await Promise.all(Array.from({ length: 8 }, () => createReferrer(app)));
    for (const { partnerId } of more) {
      for (const currency of CURRENCIES) {
        const body = { partnerId, amount: 500, currency, reason: 'Bonus' };
        expect((await app.call('POST', '/api/adjustments', { body })).status).toBe(201);
      }
    }
    expect((await runPayouts(app)).body.payoutCount).toBe(more.length * CURRENCIES.length);
    const { body } = await app.call('GET', '/api/payouts/export?format=json');
    expect(new Set(body.data.map(({ id }: { id: string }) => id)).size).toBe(more.length * CURRENCIES.length + 1);
    expect(more.length * CURRENCIES.length).toBeGreaterThan(500);
  });

  it.each(['?format=xml', '?status=queued'])('%s is a VALIDATION_ERROR', async (query) => {
    const answer = await app.call('GET', `/api/payouts/export${query}`);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('has one line per payout, so that a name cannot pass for another payout', async () => {
    const other = await createReferrer(app, {
      name: `Bob\r\n${payout.id},paid`,
      email: 'bob@example.com',
      tenantId: `t\n${payout.id}`,
    });
    await sell(app, other, { amount: 9_995 });
    await runPayouts(app, { at: '2027-12-31' });
    const { text } = await app.call('GET', `/api/payouts/export?format=csv&partnerId=${other.partnerId}`);
    const [, line, ...rest] = text.split(/[\r\n]+/);
    expect(rest).toEqual(['']);
    expect(line).toContain(`,${other.partnerId},t ${payout.id},"Bob ${payout.id},paid",bob@example.com,`);
  });
});

const CURRENCIES = (
  'aed afn all amd aoa ars aud awg azn bam bbd bdt bmd bnd bob brl bsd btn bwp byn bzd cad cdf chf clp cny cop crc cup ' +
  'cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr irr isk ' +
  'jmd jpy kes kgs kmf krw kwd'
).split(' ');
