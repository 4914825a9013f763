import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentReceived } from '../../src/core/facts.ts';
import { findStatistics } from '../../src/results/statistics.ts';
import { type AppOfMany, createAppOfMany, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, payoutsOf, runPayouts } from '../helpers/earning.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

const SOLD_AT = Date.UTC(2026, 10, 1);
const DAY_MS = 86_400_000;
const EMAIL = 'pia@example.com';

describe.each(engines)('a commission that is corrected because the amount became known, on %s', (engine) => {
  let shared: AppOfMany;
  let app: TestApp;
  let now = SOLD_AT;
  let intent: string;
  let referrer: Referrer;
  beforeAll(async () => {
    shared = await createAppOfMany(engine, { service: { clock: () => now } });
  });
  afterAll(() => shared.close());
  beforeEach(async () => {
    now = SOLD_AT;
    app = await shared.addApp();
    referrer = await createReferrer(app, { email: EMAIL, discountCodes: ['PIA'] });
    intent = unique('pi');
  });
  afterEach(() => requireAgreement(app.service, app.accountId));

  const report = (changes: Partial<PaymentReceived>, email: string | null = null) =>
    applyFacts(
      app.service,
      app.accountId,
      received([intent], hints({ email }), { discountCodes: ['PIA'], ...changes }),
    );
  const bare = (grossMinor: number, email: string | null = null) =>
    report({ grossMinor, netMinor: grossMinor, taxMinor: 0, isBare: true }, email);
  const paid = (netMinor: number) => report({ netMinor, taxMinor: 12_000 - netMinor });
  const entries = async () => {
    const { data } = (await app.call('GET', `/api/ledger?partnerId=${referrer.partnerId}`)).body;
    return data.map(({ kind, amount }: Record<string, unknown>) => [kind, amount]).reverse();
  };
  /** The commissions of the sales with a status, read in pages of one. */
  async function listed(status: string): Promise<number[]> {
    const commissions = [];
    for (let cursor = ''; ; ) {
      const path = `/api/sales?status=${status}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { data, nextCursor } = (await app.call('GET', path)).body;
      commissions.push(...data.map((sale: { commissionAmount: number }) => sale.commissionAmount));
      if (nextCursor === null) return commissions;
      cursor = nextCursor;
    }
  }
  const payOut = async () => {
    now += 40 * DAY_MS;
    expect(await runPayouts(app)).toMatchObject({ status: 200 });
    const [{ id }] = await payoutsOf(app, referrer.partnerId, 'processing');
    expect(await app.call('POST', `/api/payouts/${id}/paid`)).toMatchObject({ status: 200 });
  };

  it('is listed once, before and after it is paid, and the statistics follow', async () => {
    await bare(12_000);
    expect(await listed('pending')).toEqual([2400]);
    await paid(10_000);
    expect(await entries()).toEqual([
      ['commission', 2400],
      ['adjustment', -400],
    ]);
    expect(await listed('pending')).toEqual([2000]);
    const everything = { from: null, to: null, programId: null, partnerId: null, linkId: null };
    const months = await findStatistics(app.service, app.accountId, { interval: 'month', ...everything });
    expect(months).toMatchObject([{ sales: 1, revenue: { usd: 10_000 }, earnedCommission: { usd: 2000 } }]);
    now += 40 * DAY_MS;
    expect(await listed('approved')).toEqual([2000]);
    await payOut();
    expect(await listed('paid')).toEqual([2000]);
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ earned: 2000, payable: 0, paid: 2000 });
  });

  it('stays paid, and the next payout gets the difference', async () => {
    await bare(12_000);
    await payOut();
    await paid(10_000);
    expect(await listed('paid')).toEqual([2000]);
    expect([...(await listed('pending')), ...(await listed('approved'))]).toEqual([]);
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ earned: 2000, payable: -400, paid: 2400 });
  });

  it('is listed once when nothing remains of it', async () => {
    await bare(12_000);
    intent = unique('pi');
    await bare(12_000);
    await paid(0);
    expect(await entries()).toEqual([
      ['commission', 2400],
      ['commission', 2400],
      ['adjustment', -2400],
    ]);
    expect(await listed('pending')).toEqual([0, 2400]);
  });

  it.each([
    ['a bare report', { grossMinor: 1, netMinor: 1, taxMinor: 0, isBare: true }],
    ['an edited order', { grossMinor: 500, netMinor: 0, taxMinor: 0, shippingMinor: 500, statedAt: 3 }],
  ] as const)('is the commission entry of a sale that had none: %s', async (_first, first) => {
    await report(first);
    expect([await entries(), await listed('pending')]).toEqual([[], [0]]);
    await report({ statedAt: 2 });
    expect([await entries(), await listed('pending')]).toEqual([[['commission', 2000]], [2000]]);
    now += 40 * DAY_MS;
    expect(await listed('approved')).toEqual([2000]);
    await payOut();
    expect(await listed('paid')).toEqual([2000]);
  });

  it('has one commission entry, whatever an order cost before each edit', async () => {
    await report({ statedAt: 3 });
    await report({ netMinor: 0, statedAt: 2 });
    expect(await listed('pending')).toEqual([0]);
    await report({ netMinor: 5_000, statedAt: 1 });
    expect(await entries()).toEqual([
      ['commission', 2000],
      ['adjustment', -2000],
      ['adjustment', 1000],
    ]);
    expect(await listed('pending')).toEqual([1000]);
  });

  it.each([
    ['only shipping was paid', { netMinor: 0, statedAt: 2 }, { statedAt: 1 }],
    ['it was too small to earn', { netMinor: 1, statedAt: 2 }, { statedAt: 1 }],
    ['its bare report was too small to earn', { grossMinor: 1, netMinor: 1, isBare: true }, {}],
  ] as const)(
    "is nothing when the customer's months were over, in any order of reports, although %s",
    async (_why, one, other) => {
      const [program] = (await app.call('GET', '/api/programs')).body.data;
      await app.call('PATCH', `/api/programs/${program.id}`, { body: { durationMonths: 0 } });
      for (const customer of ['mia', 'noor']) {
        await referrer.lead(customer);
        const tell = (invoice: string, changes: Partial<PaymentReceived>) =>
          applyFacts(app.service, app.accountId, received([invoice], hints({ externalId: customer }), changes));
        await tell(`in_1 ${customer}`, {});
        const reports = customer === 'mia' ? [one, other] : [other, one];
        for (const changes of reports) await tell(`in_2 ${customer}`, { taxMinor: 0, ...changes });
      }
      expect(await entries()).toEqual([
        ['commission', 2000],
        ['commission', 2000],
      ]);
      const { data } = (await app.call('GET', '/api/sales')).body;
      const sales = data.map((sale: Record<string, unknown>) => [sale.invoiceId, sale.amount, sale.commissionAmount]);
      expect(sales.reverse()).toEqual([
        ['in_1 mia', 10_000, 2000],
        ['in_2 mia', 10_000, 0],
        ['in_1 noor', 10_000, 2000],
        ['in_2 noor', 10_000, 0],
      ]);
    },
  );

  it('waits for the review of its sale', async () => {
    const [program] = (await app.call('GET', '/api/programs')).body.data;
    await app.call('PATCH', `/api/programs/${program.id}`, { body: { selfReferral: 'flag' } });
    await bare(12_000, EMAIL);
    await paid(10_000);
    now += 40 * DAY_MS;
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ held: 2000, payable: 0 });
    const [{ id }] = (await app.call('GET', '/api/sales')).body.data;
    expect(await app.call('POST', `/api/sales/${id}/approve`, { body: {} })).toMatchObject({ status: 200 });
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ held: 0, payable: 2000 });
  });
});
