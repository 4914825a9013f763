import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { importSale } from '../../src/payments/imports/import-sale.ts';
import { CurrencyMismatch } from '../../src/payments/reported-amounts.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, applyFactsOf, hints, received, referenced, refunded, refundUndone } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

describe.each(engines)(
  'a refund that only the backend reported, of a payment that is a sale in USD, on %s',
  (engine) => {
    let app: TestApp;
    let referrer: Referrer;
    let customer: string;
    let invoiceId: string;
    let paymentIntent: string;
    let refundId: string;
    beforeAll(async () => {
      app = await createTestApp(engine);
      referrer = await createReferrer(app);
    });
    beforeEach(() => {
      [customer, invoiceId, paymentIntent, refundId] = [unique('user'), unique('in'), unique('pi'), unique('re')];
    });
    afterAll(() => app.close());

    const tell = (...facts: Fact[]) => applyFacts(app.service, app.accountId, ...facts);
    const payInEuros = () => tell(received([paymentIntent], hints({ externalId: customer }), { currency: 'eur' }));
    const refund = (invoice: string, body: object) =>
      app.call('POST', '/api/refunds', { body: { invoiceId: invoice, ...body } });
    const join = () => tell(referenced(invoiceId, paymentIntent));
    const saleInDollars = async () => {
      const { body } = await app.call('GET', `/api/sales?invoiceId=${invoiceId}`);
      return (await app.call('GET', `/api/sales/${body.data[0].id}`)).body;
    };
    const kept = () => ({
      currency: 'usd',
      refundedAmount: 0,
      reversedCommissionAmount: 0,
      note: `refund "${refundId}" of 120.00 EUR does not count, because the sale is in USD: report it in USD under another id`,
      refunds: [{ id: refundId, amount: 12_000, currency: 'eur' }],
    });
    const sell = (invoice: string, currency: string) =>
      app.call('POST', '/api/sales', {
        body: { customerExternalId: customer, invoiceId: invoice, amount: 10_000, currency },
      });

    /** The backend reported the sale in USD. There is one in EUR as well, which the backend has refunded. */
    async function sellTwice(reportInEuros: () => Promise<unknown> = payInEuros): Promise<void> {
      await referrer.lead(customer);
      expect((await sell(invoiceId, 'usd')).status).toBe(200);
      await reportInEuros();
      expect((await refund(paymentIntent, { refundId, amount: 12_000 })).status).toBe(201);
    }

    it('and was a sale in EUR, stays stored without counting, and the sale says so', async () => {
      await sellTwice();
      await join();
      expect(await saleInDollars()).toMatchObject(kept());
      expect((await refund(invoiceId, { refundId: unique('re'), amount: 5_000 })).body).toMatchObject({
        refundedAmount: 5_000,
        reversedCommissionAmount: 1_000,
        note: kept().note,
      });
      await requireAgreement(app.service, app.accountId);
    });

    it('and was parked in EUR, does the same', async () => {
      await tell(received([invoiceId], hints({ externalId: customer })));
      await payInEuros();
      expect((await refund(paymentIntent, { refundId, amount: 12_000 })).status).toBe(202);
      await join();
      await referrer.lead(customer);
      expect(await saleInDollars()).toMatchObject(kept());
      await requireAgreement(app.service, app.accountId);
    });

    it('does not go with a refund in EUR by the processor, whose delivery fails', async () => {
      await sellTwice();
      await tell(refunded([paymentIntent], { refundId: unique('re'), amountMinor: 100 }, 'eur'));
      await join();
      expect(await saleInDollars()).toMatchObject(kept());
      await requireAgreement(app.service, app.accountId);
    });

    it.each(['the processor', 'the backend'])(
      'says nothing more once the processor reports that it failed, where %s reported the payment in EUR',
      async (reporter) => {
        await sellTwice(reporter === 'the backend' ? () => sell(paymentIntent, 'eur') : payInEuros);
        await join();
        expect(await saleInDollars()).toMatchObject(kept());
        await tell({ ...refundUndone([invoiceId], refundId, null), currency: null });
        expect(await saleInDollars()).toMatchObject({
          ...kept(),
          note: null,
          refunds: [{ id: refundId, status: 'failed' }],
        });
        await requireAgreement(app.service, app.accountId);
      },
    );
  },
);

describe.each(engines)(
  'a refund that the backend reports in USD, as of its sale, and Stripe in GBP, on %s',
  (engine) => {
    let app: TestApp;
    beforeAll(async () => {
      app = await createTestApp(engine);
    });
    afterAll(() => app.close());

    it.each([
      ['before the lead', ['sale', 'refund', 'stripe', 'lead']],
      ['after the lead', ['sale', 'refund', 'lead', 'stripe']],
      ['before the refund of the backend', ['sale', 'lead', 'stripe', 'refund']],
    ] as const)('counts in USD, where Stripe reports it %s', async (_, steps) => {
      const [customer, invoiceId, refundId] = [unique('user'), unique('pi'), unique('re')];
      const referrer = await createReferrer(app);
      const sale = {
        customerExternalId: customer,
        invoiceId,
        amount: 10_000,
        currency: 'usd',
        paymentProcessor: 'stripe',
      };
      const inPounds = refunded([invoiceId], { refundId, amountMinor: 3_000 }, 'gbp');
      const refund = () => app.call('POST', '/api/refunds', { body: { invoiceId, refundId, amount: 4_000 } });
      const does = {
        sale: () => app.call('POST', '/api/sales', { body: sale }),
        refund,
        // the delivery fails once there is a sale
        stripe: () => applyFacts(app.service, app.accountId, inPounds).catch(unlessMismatch),
        lead: () => referrer.lead(customer),
      };
      for (const step of steps) await does[step]();
      const { body } = await app.call('GET', `/api/sales?invoiceId=${invoiceId}`);
      expect(body.data).toMatchObject([{ refundedAmount: 4_000, reversedCommissionAmount: 800 }]);
      expect((await refund()).status).toBe(200);
      await requireAgreement(app.service, app.accountId);
    });
  },
);

function unlessMismatch(error: unknown): void {
  if (!(error instanceof CurrencyMismatch)) throw error;
}

describe.each(engines)('a sale that the backend reported in the currency of the shopper, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
  });
  afterAll(() => app.close());

  it.each([
    ['before the order', ['sale', 'order']],
    ['after the order', ['order', 'sale']],
    ['without a lead, before the order', ['report', 'order', 'lead']],
    ['without a lead, after the order', ['order', 'report', 'lead']],
    ['twice, and without a lead at first', ['report', 'order', 'sale']],
    ['by an import, before the order', ['import', 'order']],
    ['by an import, after the order', ['order', 'import']],
    ['and the order as another sale, until they are linked', ['lead', 'report', 'ownOrder', 'link']],
  ] as const)('%s, is refunded in both currencies, in proportion to what was paid', async (_, steps) => {
    const [customer, invoiceId, clickId] = [unique('user'), unique('order'), await referrer.click()];
    const orderId = `${invoiceId}_own`;
    const tell = (...facts: Fact[]) => applyFactsOf('shopify', app.service, app.accountId, ...facts);
    const presentment = { currency: 'usd', grossMinor: 12_000 };
    const amounts = { grossMinor: 10_800, netMinor: 9_000, currency: 'eur', presentment };
    const sale = { customerExternalId: customer, invoiceId, amount: 10_000, currency: 'usd' };
    const scope = { accountId: app.accountId, now: app.service.clock() };
    const moved = {
      processor: 'shopify',
      invoiceId,
      references: [],
      partnerId: referrer.partnerId,
      customer: { externalId: customer, email: null, name: null, processorCustomerId: null },
      eventName: 'Purchase',
      amountMinor: 10_000,
      grossMinor: 10_000,
      currency: 'usd',
      occurredAt: scope.now,
      earned: {
        commission: { amountMinor: 2_000, reason: 'earned elsewhere' },
        availableAt: scope.now,
        refundedMinor: 0,
      },
      origin: 'earned elsewhere',
    } as const;
    const does = {
      order: () => tell(received([invoiceId], hints({}), amounts)),
      ownOrder: () => tell(received([orderId], hints({ externalId: customer }), amounts)),
      link: () => tell(referenced(orderId, invoiceId)),
      sale: () => app.call('POST', '/api/track/sale', { body: { ...sale, clickId } }),
      report: () => app.call('POST', '/api/sales', { body: sale }),
      lead: () => referrer.lead(customer),
      import: () => app.service.database.write((tx) => importSale(tx, scope, moved)),
    };
    for (const step of steps) await does[step]();
    await tell(refunded([invoiceId], { refundId: unique('half'), amountMinor: 5_400 }, 'eur'));
    await tell(refunded([invoiceId], { refundId: unique('quarter'), amountMinor: 3_000 }, 'usd'));
    const { body } = await app.call('GET', `/api/sales?invoiceId=${invoiceId}`);
    expect(body.data).toMatchObject([
      {
        amount: 10_000,
        grossAmount: 12_000,
        currency: 'usd',
        commissionAmount: 2_000,
        refundedAmount: 9_000,
        reversedCommissionAmount: 1_500,
      },
    ]);
    await requireAgreement(app.service, app.accountId);
  });
});
