import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

const percentage = (rateBasisPoints: number) => ({ type: 'percentage', rateBasisPoints });
const flat = (amounts: Record<string, number>) => ({ type: 'flat', amounts });

describe.each(engines)('the terms of a sale, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const show = async (saleId: string) => (await app.call('GET', `/api/sales/${saleId}`)).body;
  const change = (path: string, body: unknown) => app.call('PATCH', path, { body });
  const commissionStep = (sale: { attribution: { steps: { step: string; reason: string }[] } }) =>
    sale.attribution.steps.find(({ step }) => step === 'commission')?.reason;

  it("the most specific one wins: the link's, then the partner's, then the program's; it is stored and shown with the sale", async () => {
    const referrer = await createReferrer(app);
    const program = await show(await sell(app, referrer));
    await change(`/api/partners/${referrer.partnerId}`, { commission: percentage(3000) });
    const partner = await show(await sell(app, referrer));
    await change(`/api/links/${referrer.linkId}`, { commission: { type: 'flat', amounts: { usd: 123 } } });
    const link = await show(await sell(app, referrer));
    expect(
      [program, partner, link].map((sale) => [sale.commissionAmount, sale.terms.source, commissionStep(sale)]),
    ).toEqual([
      [2000, 'program', '20% of the sale, terms of the program'],
      [3000, 'partner', '30% of the sale, terms of the partner'],
      [123, 'link', 'flat commission for usd, terms of the link'],
    ]);
    expect(link.terms).toEqual({
      commission: { type: 'flat', amounts: { usd: 123 } },
      source: 'link',
      durationMonths: null,
      holdDays: 30,
      amountBasis: 'net',
    });
  });

  it('a change of terms never alters earlier commissions, nor their later refunds', async () => {
    const other = await app.addAccount('Other Ltd');
    const referrer = await createReferrer(app);
    const saleId = await sell(app, referrer);
    await change(`/api/programs/${app.programId}`, { commission: percentage(100), holdDays: 0 });
    expect((await app.call('GET', `/api/programs/${other.programId}`, { key: other.apiKey })).body.holdDays).toBe(30);
    await app.call('POST', `/api/sales/${saleId}/refunds`, { body: { refundId: unique('re'), amount: 5000 } });
    expect(await show(saleId)).toMatchObject({
      status: 'pending',
      commissionAmount: 2000,
      reversedCommissionAmount: 1000,
      terms: { holdDays: 30, commission: percentage(2000) },
    });
    const after = await show(await sell(app, referrer));
    expect(after).toMatchObject({ status: 'approved', commissionAmount: 100, terms: { holdDays: 0 } });
    await change(`/api/programs/${app.programId}`, { commission: percentage(2000), holdDays: 30 });
  });

  it('net excludes tax, gross includes it; both amounts are stored', async () => {
    const stripe = await createEndpoint(app, 'stripe');
    const sold = async () => {
      const customer = unique('user');
      await (await createReferrer(app)).lead(customer);
      await stripe.deliver(checkoutCompleted({ externalId: customer, amount: 11_900, tax: 1900 }));
      return (await app.call('GET', `/api/sales?customerExternalId=${customer}`)).body.data[0];
    };
    expect(await sold()).toMatchObject({ amount: 10_000, grossAmount: 11_900, commissionAmount: 2000 });
    await change(`/api/programs/${app.programId}`, { amountBasis: 'gross' });
    expect(await sold()).toMatchObject({ amount: 11_900, grossAmount: 11_900, commissionAmount: 2380 });
    await change(`/api/programs/${app.programId}`, { amountBasis: 'net' });
  });

  it('0 months pay only the first sale of a customer, and the trace of the second says so', async () => {
    await change(`/api/programs/${app.programId}`, { durationMonths: 0 });
    const referrer = await createReferrer(app);
    const customerExternalId = unique('user');
    const first = await show(await sell(app, referrer, { customerExternalId }));
    const second = await show(await sell(app, referrer, { customerExternalId }));
    expect([first.commissionAmount, second.commissionAmount]).toEqual([2000, 0]);
    expect(commissionStep(second)).toBe('only the first sale of a customer earns commission');
    expect(second.entries).toEqual([]);
    await change(`/api/programs/${app.programId}`, { durationMonths: null });
  });

  it.each([0, 1])('sales of nothing are not the first, for %i months', async (durationMonths) => {
    await change(`/api/programs/${app.programId}`, { durationMonths });
    const externalId = unique('user');
    await sell(app, await createReferrer(app), { customerExternalId: externalId, amount: 0 });
    const earns = async (netMinor: number, occurredAt: number) => {
      const payment = received([unique('pi')], hints({ externalId }), { netMinor, occurredAt });
      const { saleId } = await applyFacts(app.service, app.accountId, payment);
      return (await show(saleId ?? '')).commissionAmount;
    };
    const shippingOnly = await earns(0, Date.UTC(2026, 0, 1));
    const first = await earns(10_000, Date.UTC(2026, 9, 1));
    expect([shippingOnly, first, await earns(10_000, Date.UTC(2026, 10, 1))]).toEqual([0, 2000, 0]);
    await change(`/api/programs/${app.programId}`, { durationMonths: null });
  });

  it('a change names the currencies of stored amounts in any case', async () => {
    const path = `/api/programs/${app.programId}`;
    const before = { minimumPayout: { usd: 5000, eur: 4000 }, commission: flat({ usd: 500, eur: 400 }) };
    await change(path, before);
    const changed = await change(path, { minimumPayout: { USD: 6000 }, commission: { amounts: { Usd: 600 } } });
    expect(changed).toMatchObject({ status: 200, body: { minimumPayout: { usd: 6000, eur: 4000 } } });
    expect(changed.body.commission).toEqual(flat({ usd: 600, eur: 400 }));
    const removed = await change(path, {
      minimumPayout: { EUR: null, JPY: 9 },
      commission: { amounts: { EUR: null } },
    });
    expect(removed.body).toMatchObject({ commission: flat({ usd: 600 }) });
    expect(removed.body.minimumPayout).toEqual({ usd: 6000, jpy: 9 });
    const emptied = await change(path, { minimumPayout: null });
    expect(emptied.body).toEqual({ ...removed.body, minimumPayout: {} });

    const { partnerId, linkId } = await createReferrer(app);
    for (const own of [`/api/partners/${partnerId}`, `/api/links/${linkId}`]) {
      await change(own, { commission: flat({ usd: 500, eur: 400 }) });
      const { body } = await change(own, { commission: { amounts: { USD: 1, EUR: null } } });
      expect([own, body.commission]).toEqual([own, flat({ usd: 1 })]);
    }
    await change(path, { commission: percentage(2000) });
  });

  it.each([
    { commission: percentage(10_001) },
    { commission: percentage(-1) },
    { commission: percentage(0.5) },
    { commission: { type: 'flat', amounts: { usd: -1 } } },
    { commission: { type: 'flat', amounts: { usd: 1_000_000_000_001 } } },
    { commission: { type: 'flat', amounts: { zzz: 1 } } },
    { commission: { type: 'tiered' } },
    { holdDays: -1 },
    { holdDays: 1.5 },
    { durationMonths: -1 },
    { minimumPayout: { zzz: 5 } },
    { minimumPayout: { usd: -5 } },
    { minimumPayout: { usd: 5, USD: 6 } },
    { minimumPayout: { usd: null, USD: 6 } },
    { commission: { type: 'flat', amounts: { USD: 5, Usd: 5 } } },
    { amountBasis: 'all' },
    { selfReferral: 'maybe' },
  ])('%j is a VALIDATION_ERROR and changes nothing', async (patch) => {
    const before = await app.call('GET', `/api/programs/${app.programId}`);
    const answer = await change(`/api/programs/${app.programId}`, patch);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect((await app.call('GET', `/api/programs/${app.programId}`)).body).toEqual(before.body);
  });
});
