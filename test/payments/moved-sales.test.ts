import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { Fact, PaymentReceived } from '../../src/core/facts.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { setIdClock } from '../../src/ids.ts';
import { type ImportedSale, importSale } from '../../src/payments/imports/import-sale.ts';
import { type AppOfMany, createAppOfMany, type TestApp } from '../helpers/app.ts';
import { ordersOf } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf } from '../helpers/earning.ts';
import { applyFacts, hints, received, referenced } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';
import { ORDER, waysToSell } from '../helpers/ways-to-sell.ts';

/** The first day: when the payment of `received` was made. */
const PAID_AT = Date.UTC(2026, 10, 1);
const onDay = (days: number) => PAID_AT + days * DAY_MS;
const isoDay = (days: number) => new Date(onDay(days)).toISOString();

describe.each(engines)('a recorded sale whose payment a processor reports as made before, on %s', (engine) => {
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
  const saleOf = async (invoiceId: string) => (await app.call('GET', `/api/sales?invoiceId=${invoiceId}`)).body.data[0];
  const setProgram = (body: object) => app.call('PATCH', `/api/programs/${app.programId}`, { body });
  const owed = async () => {
    const entries = await app.service.database.read((tx) =>
      tx.get<{ sum: number }>(
        'SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS sum FROM ledger_entries WHERE account_id = @accountId',
        { accountId: app.accountId },
      ),
    );
    return entries?.sum ?? 0;
  };

  const tell = (fact: Fact) => applyFacts(app.service, app.accountId, fact);
  const paid = (changes: Partial<PaymentReceived> = {}) =>
    tell(received(['in_1'], hints({ externalId: 'mia' }), changes));
  const capture = { kind: 'payment.captured', amountMinor: 12_000, currency: 'usd', occurredAt: PAID_AT } as const;
  const capturedAs = (reference: string) => tell({ ...capture, references: [reference] });
  const paidAs = (reference: string, externalId?: string) =>
    tell(received([reference], hints(externalId === undefined ? {} : { externalId })));
  /** The ways in which a processor reports the payment. */
  const reports = [
    ['received', () => paid()],
    ['captured', () => capturedAs('in_1')],
    ['waiting under another reference', () => paidAs('pi_1').then(() => tell(referenced('in_1', 'pi_1')))],
    ['captured under another reference', () => capturedAs('pi_1').then(() => tell(referenced('in_1', 'pi_1')))],
  ] as const;
  const sold = waysToSell({ clickId: () => clickId, signUp, post });

  it.each(reports.flatMap(([how, report]) => sold.map(([way, sell]) => [how, way, report, sell] as const)))(
    'moves to the time of the payment, %s after its partner was archived: %s earns',
    async (_how, _way, report, sell) => {
      now = onDay(5);
      await archive();
      now = onDay(6);
      await sell();
      expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 0, occurredAt: isoDay(6) });
      now = onDay(7);
      for (const _again of [1, 2]) await report();
      expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 2_000, occurredAt: isoDay(0), status: 'pending' });
      expect(await owed()).toBe(2_000);
    },
  );

  it.each(sold.flatMap(([way, sell]) => (['in_1', 'pi_1'] as const).map((kept) => [way, kept, sell] as const)))(
    'turns out to be the same payment as an earlier sale, of another customer: of %s and that one, %s stays',
    async (_way, kept, sell) => {
      await signUp('lea');
      now = onDay(5);
      if (kept === 'pi_1') await archive();
      now = onDay(6);
      await sell();
      await paidAs('pi_1', 'lea');
      await tell(referenced('in_1', 'pi_1'));
      expect(await saleOf(kept)).toMatchObject({ commissionAmount: 2_000, occurredAt: isoDay(0), status: 'pending' });
      expect(await owed()).toBe(2_000);
    },
  );

  it("earns on the terms that it was recorded with, once the payment is within the customer's months", async () => {
    await setProgram({ durationMonths: 1 });
    await post('/api/track/sale', { ...ORDER, invoiceId: 'in_0', clickId });
    now = onDay(40);
    await post('/api/track/sale', { ...ORDER, clickId });
    await post('/api/track/sale', { ...ORDER, clickId, invoiceId: 'in_2' });
    expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 0 });
    await setProgram({ commission: { type: 'percentage', rateBasisPoints: 5_000 }, durationMonths: 0 });
    await paid({ occurredAt: onDay(35) });
    expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 0, occurredAt: isoDay(35) });
    await paid({ occurredAt: onDay(20) });
    expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 2_000, occurredAt: isoDay(20) });
    expect(await saleOf('in_2')).toMatchObject({ commissionAmount: 0, occurredAt: isoDay(40) });
    const { id } = await saleOf('in_1');
    const { terms } = (await app.call('GET', `/api/sales/${id}`)).body;
    expect(terms).toMatchObject({ commission: { rateBasisPoints: 2_000 }, durationMonths: 1 });
    expect(Object.keys(terms)).not.toContain('refused');
  });

  it.each([true, false])("begins the customer's months with the payment, the processor first: %s", async (isFirst) => {
    await setProgram({ durationMonths: 1 });
    if (isFirst) await paid();
    now = onDay(20);
    await post('/api/track/sale', { ...ORDER, clickId });
    if (!isFirst) await paid();
    now = onDay(40);
    await post('/api/track/sale', { ...ORDER, clickId, invoiceId: 'in_2' });
    expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 2_000 });
    expect(await saleOf('in_2')).toMatchObject({ commissionAmount: 0 });
  });

  it('earns nothing as a second sale, although a process whose clock is behind recorded it', async () => {
    await setProgram({ durationMonths: 0 });
    await signUp('mia');
    await paid({ references: ['in_0'], invoiceId: 'in_0' });
    setIdClock(() => Date.now() - 30_000);
    onTestFinished(() => setIdClock(systemClock));
    now = onDay(1);
    await post('/api/sales', ORDER);
    await paid();
    expect(await saleOf('in_0')).toMatchObject({ commissionAmount: 2_000 });
    expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 0, occurredAt: isoDay(0) });
  });

  it('earns nothing that was refunded meanwhile', async () => {
    now = onDay(5);
    await archive();
    now = onDay(6);
    await post('/api/track/sale', { ...ORDER, clickId });
    await post('/api/refunds', { invoiceId: 'in_1', refundId: 're_1', amount: 5_000 }, 201);
    await paid({ grossMinor: 10_000, taxMinor: 0 });
    expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 2_000, reversedCommissionAmount: 1_000 });
    expect(await owed()).toBe(1_000);
  });

  it.each([
    ['flag', 2_000],
    ['refuse', 0],
  ])('earns what the rule for self-referrals allows: %s', async (selfReferral, earned) => {
    await setProgram({ selfReferral });
    const { email } = (await app.call('GET', `/api/partners/${referrer.partnerId}`)).body;
    now = onDay(5);
    await archive();
    now = onDay(6);
    await post('/api/track/sale', { ...ORDER, clickId, customerEmail: email });
    for (const _again of [1, 2]) await paid();
    expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 2_000, reversedCommissionAmount: 2_000 - earned });
    now = onDay(40);
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ held: earned, payable: 0 });
  });

  it('keeps what it earned and the end of its hold, and never moves to a later time', async () => {
    await post('/api/track/sale', { ...ORDER, clickId, invoiceId: 'in_0' });
    await paid({ references: ['in_0'], invoiceId: 'in_0', occurredAt: onDay(1) });
    expect(await saleOf('in_0')).toMatchObject({ grossAmount: 12_000, occurredAt: isoDay(0) });
    now = onDay(2);
    await post('/api/track/sale', { ...ORDER, clickId });
    await setProgram({ durationMonths: 0 });
    await paid();
    expect(await saleOf('in_1')).toMatchObject({ commissionAmount: 2_000, grossAmount: 12_000, occurredAt: isoDay(0) });
    now = onDay(31);
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ payable: 2_000, held: 2_000 });
  });

  it('stays at its time if it was imported', async () => {
    now = onDay(2);
    const sale: ImportedSale = {
      processor: 'stripe',
      invoiceId: 'in_1',
      references: [],
      partnerId: referrer.partnerId,
      customer: { externalId: 'mia', email: null, name: null, processorCustomerId: null },
      eventName: 'Purchase',
      amountMinor: 10_000,
      grossMinor: 10_000,
      currency: 'usd',
      occurredAt: now,
      earned: {
        commission: { amountMinor: 0, reason: 'nothing was earned there' },
        availableAt: now,
        refundedMinor: 0,
      },
      origin: 'a file',
    };
    await app.service.database.write((tx) => importSale(tx, { accountId: app.accountId, now }, sale));
    await paid();
    expect(await saleOf('in_1')).toMatchObject({ grossAmount: 12_000, commissionAmount: 0, occurredAt: isoDay(2) });
  });

  it('ends the same after any order of the reports, with any repetition', async () => {
    let story = 0;
    now = onDay(5);
    await archive();
    let customer = hints({});
    const arrivals: Record<string, () => Promise<unknown>> = {
      'the backend': () =>
        app.call('POST', '/api/track/sale', { body: { ...ORDER, invoiceId: `in_${story}`, clickId } }),
      'the backend, without a click': () =>
        app.call('POST', '/api/sales', { body: { ...ORDER, invoiceId: `in_${story}` } }),
      received: () => tell(received([`pi_${story}`], customer)),
      captured: () => tell({ ...capture, references: [`ch_${story}`] }),
      'the references': () => tell(referenced(`in_${story}`, `pi_${story}`)),
      'the charge': () => tell(referenced(`pi_${story}`, `ch_${story}`)),
    };
    await fc.assert(
      fc.asyncProperty(ordersOf(Object.keys(arrivals)), fc.boolean(), async (order, isNamed) => {
        story += 1;
        customer = hints(isNamed ? { externalId: 'mia' } : {});
        const before = await owed();
        for (const name of order) {
          now += 1;
          await arrivals[name]?.();
        }
        const sales = [await saleOf(`in_${story}`), await saleOf(`pi_${story}`)];
        expect(sales.filter((sale) => sale && sale.note === null)).toMatchObject([
          { commissionAmount: 2_000, reversedCommissionAmount: 0, occurredAt: isoDay(0) },
        ]);
        expect((await owed()) - before).toBe(2_000);
      }),
      { numRuns: rounds(engine === 'sqlite' ? 200 : 30) },
    );
  });
});
