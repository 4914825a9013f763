import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact, PaymentReceived } from '../../src/core/facts.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { type AppOfMany, createAppOfMany, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf } from '../helpers/earning.ts';
import { applyFacts, hints, received, referenced } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';
import { ORDER, waysToSell } from '../helpers/ways-to-sell.ts';

/** The first day: when the payment of `received` was made. */
const PAID_AT = Date.UTC(2026, 10, 1);
const onDay = (days: number) => PAID_AT + days * DAY_MS;
const isoDay = (days: number) => new Date(onDay(days)).toISOString();

describe.each(engines)('the time of a sale whose payment was reported before, on %s', (engine) => {
  let shared: AppOfMany;
  let app: TestApp;
  let now = PAID_AT;
  let referrer: Referrer;
  let clickId: string;
  beforeAll(async () => {
    shared = await createAppOfMany(engine, { service: { clock: () => now } });
  });
  afterAll(() => shared.close());
  beforeEach(async () => {
    now = PAID_AT;
    app = await shared.addApp();
    referrer = await createReferrer(app);
    clickId = await referrer.click();
  });
  afterEach(() => requireAgreement(app.service, app.accountId));

  const post = async (path: string, body: object, status = 200) => {
    const answer = await app.call('POST', path, { body });
    expect([path, answer.status, answer.text]).toEqual([path, status, answer.text]);
  };
  const archive = () => post(`/api/partners/${referrer.partnerId}/archive`, {});
  const signUp = (customerExternalId: string) =>
    post('/api/track/lead', { clickId, eventName: 'Sign up', customerExternalId });
  const listed = async (path: string) => (await app.call('GET', path)).body.data;
  const saleOf = async (invoiceId: string) => (await listed(`/api/sales?invoiceId=${invoiceId}`))[0];

  const tell = (fact: Fact) => applyFacts(app.service, app.accountId, fact);
  const paid = (changes: Partial<PaymentReceived> = {}) =>
    tell(received(['in_1'], hints({ externalId: 'mia' }), changes));
  const captured = () =>
    tell({
      kind: 'payment.captured',
      references: ['in_1'],
      amountMinor: 12_000,
      currency: 'usd',
      occurredAt: PAID_AT,
    });
  const reports = [
    ['received', paid],
    ['captured', captured],
  ] as const;
  const sold = waysToSell({ clickId: () => clickId, signUp, post });

  it.each(reports.flatMap(([how, report]) => sold.map(([way, sell]) => [how, way, report, sell] as const)))(
    'is that of the payment, %s before its partner was archived: %s earns',
    async (_how, _way, report, sell) => {
      await report();
      now = onDay(5);
      await archive();
      now = onDay(6);
      await sell();
      expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 2_000, occurredAt: isoDay(0) });
    },
  );

  it.each(sold)('starts the hold at the payment: %s', async (way, sell) => {
    await paid();
    now = onDay(29);
    await sell();
    now = onDay(31);
    const currency = way.includes('currency') ? 'eur' : 'usd';
    expect(await earningsOf(app, referrer.partnerId, currency)).toMatchObject({ payable: 2_000, held: 0 });
  });

  it.each(['/api/track/sale', '/api/sales'])(
    "is within the customer's month of commission when the payment was: by %s",
    async (path) => {
      await app.call('PATCH', `/api/programs/${app.programId}`, { body: { durationMonths: 1 } });
      await post('/api/track/sale', { ...ORDER, invoiceId: 'in_0', clickId });
      await paid({ occurredAt: onDay(20), customer: hints({}) });
      now = onDay(40);
      await post(path, { ...ORDER, clickId });
      await post(path, { ...ORDER, clickId, invoiceId: 'in_2' });
      expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 2_000, occurredAt: isoDay(20) });
      expect(await saleOf('in_2')).toMatchObject({ commissionAmount: 0, occurredAt: isoDay(40) });
    },
  );

  it.each(reports)("moves to a processor's first report after the backend's: %s", async (_how, report) => {
    now = onDay(2);
    await post('/api/sales', ORDER, 202);
    expect(await listed('/api/parked-payments')).toMatchObject([{ occurredAt: isoDay(2) }]);
    now = onDay(3);
    await report();
    await paid({ occurredAt: onDay(1) });
    await post('/api/sales', ORDER, 202);
    expect(await listed('/api/parked-payments')).toMatchObject([{ occurredAt: isoDay(0) }]);
    await signUp('mia');
    expect(await saleOf('in_1')).toMatchObject({ occurredAt: isoDay(0) });
  });

  it.each(['the backend', 'the processor'])(
    "is the processor's when its payment and the backend's turn out to be one: %s first",
    async (first) => {
      const report = () => post('/api/sales', { ...ORDER, invoiceId: 'order_1' }, 202);
      now = onDay(2);
      if (first === 'the backend') await report();
      await paid();
      if (first === 'the processor') await report();
      await tell(referenced('in_1', 'order_1'));
      expect(await listed('/api/parked-payments')).toMatchObject([{ occurredAt: isoDay(0) }]);
      await signUp('mia');
      expect(await listed('/api/sales')).toMatchObject([{ commissionAmount: 2_000, occurredAt: isoDay(0) }]);
    },
  );

  it("is the backend's first report while no processor reports the payment", async () => {
    await post('/api/sales', ORDER, 202);
    now = onDay(5);
    await archive();
    now = onDay(6);
    await post('/api/sales', ORDER, 202);
    for (const invoiceId of ['in_1', 'in_2']) await post('/api/track/sale', { ...ORDER, invoiceId, clickId });
    expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 2_000, occurredAt: isoDay(0) });
    expect(await saleOf('in_2')).toMatchObject({ commissionAmount: 0, occurredAt: isoDay(6) });
  });
});
