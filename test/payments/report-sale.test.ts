import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { chargeRefunded, invoicePaid, invoicePaymentPaid } from '../helpers/stripe-payloads.ts';
import { untilTaken } from '../helpers/until-taken.ts';

describe.each(engines)('a sale that is reported without a click, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  beforeAll(async () => {
    app = await createTestApp(engine);
    // the caller's amount is still the base of the commission
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { amountBasis: 'gross' } });
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
  });
  afterAll(() => app.close());

  const report = (body: object) => app.call('POST', '/api/sales', { body });
  const salesOf = async (customer: string) =>
    (await app.call('GET', `/api/sales?customerExternalId=${customer}`)).body.data;
  const parkedNow = async () => (await app.call('GET', '/api/parked-payments')).body.data;
  const deliver = async (event: unknown) => (await stripe.deliver(event)).body.outcome as string;

  it("belongs to the click and partner of the customer's lead", async () => {
    const customer = unique('user');
    const clickId = await referrer.lead(customer, { customerEmail: 'ana@example.com', customerName: 'Ana' });
    const invoiceId = unique('order');
    const answer = await report({ customerExternalId: customer, amount: 4_900, currency: 'EUR', invoiceId });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        eventName: 'Purchase',
        customer: { externalId: customer, email: 'ana@example.com', name: 'Ana' },
        sale: {
          id: expect.stringMatching(/^sal_/),
          amount: 4_900,
          currency: 'eur',
          commissionAmount: 980,
          status: 'pending',
          invoiceId,
          paymentProcessor: 'custom',
        },
      },
    ]);
    const { partnerId, linkId } = referrer;
    expect(await salesOf(customer)).toMatchObject([
      { partnerId, linkId, clickId, attribution: { matchedBy: 'external_id' } },
    ]);
  });

  it.each([
    ['invoice', 'in'],
    ['payment intent', 'pi'],
  ])(
    "that waits for its customer, reported as another processor's with the id of the %s, is the payer's",
    async (_named, prefix) => {
      const [customer, payer, invoiceId] = [unique('user'), unique('cus'), unique(prefix)];
      await referrer.lead(customer);
      const body = { customerExternalId: unique('user'), amount: 4_900, invoiceId, paymentProcessor: 'shopify' };
      const { id } = (await report(body)).body.parkedPayment;
      const invoice = prefix === 'in' ? invoiceId : unique('in');
      expect(await deliver(invoicePaid({ invoice, customer: payer }))).toBe('unattributed');
      if (prefix === 'pi') await deliver(invoicePaymentPaid(invoice, invoiceId));
      await app.call('POST', `/api/parked-payments/${id}/attribute`, { body: { customerExternalId: customer } });
      expect(await deliver(invoicePaid({ customer: payer }))).toBe('sale');
      expect((await salesOf(customer)).length).toBe(2);
    },
  );

  it('waits for its customer, once, and becomes the sale that was reported', async () => {
    const customer = unique('user');
    const body = {
      customerExternalId: customer,
      customerName: 'Noor',
      customerAvatar: 'https://example.com/noor.png',
      amount: 4_900,
      eventName: 'Pro plan',
      invoiceId: unique('order'),
      paymentProcessor: 'paddle',
      metadata: { seats: 3 },
    };
    const parked = await report(body);
    expect(parked.status).toBe(202);
    expect(parked.body).toEqual({ parkedPayment: (await parkedNow())[0] });
    expect(parked.body.parkedPayment).toMatchObject({
      processor: 'paddle',
      invoiceId: body.invoiceId,
      amount: 4_900,
      customer: { externalIds: [customer], name: 'Noor' },
    });
    const again = await Promise.all([report(body), report(body)]);
    expect(again.map(({ status, body }) => [status, body.parkedPayment.id])).toEqual(
      again.map(() => [202, parked.body.parkedPayment.id]),
    );
    expect(await parkedNow()).toHaveLength(1);

    await referrer.lead(customer);
    expect(await parkedNow()).toEqual([]);
    const [sale, ...others] = await salesOf(customer);
    expect(others).toEqual([]);
    expect(sale).toMatchObject({
      eventName: 'Pro plan',
      amount: 4_900,
      commissionAmount: 980,
      invoiceId: body.invoiceId,
      paymentProcessor: 'paddle',
      customer: { name: 'Noor' },
    });
    expect((await app.call('GET', `/api/sales/${sale.id}`)).body.metadata).toEqual({ seats: 3 });
    expect((await app.call('GET', `/api/customers/${customer}`)).body.avatar).toBe('https://example.com/noor.png');
    expect((await report(body)).body.error.code).toBe('DUPLICATE_INVOICE');
  });

  it('without an invoice is parked each time it is reported', async () => {
    const customer = unique('user');
    const parked = [
      await report({ customerExternalId: customer, amount: 5 }),
      await report({ customerExternalId: customer, amount: 5 }),
    ];
    expect(parked.map(({ body }) => body.parkedPayment.invoiceId)).toEqual([null, null]);
    await referrer.lead(customer);
    expect(await salesOf(customer)).toHaveLength(2);
  });

  it('is a duplicate of the same invoice by webhook or with a click, and vice versa', async () => {
    const customer = unique('user');
    const clickId = await referrer.lead(customer);
    const byWebhook = (invoice: string) =>
      deliver(invoicePaid({ externalId: customer, subscription: unique('sub'), invoice, amount: 2_000 }));
    const [first, second, third] = [unique('in'), unique('in'), unique('in')];
    const sale = { customerExternalId: customer, amount: 2_000 };
    expect(await byWebhook(first)).toBe('sale');
    expect((await report({ ...sale, invoiceId: first })).body.error.code).toBe('DUPLICATE_INVOICE');
    expect((await report({ ...sale, invoiceId: second })).status).toBe(200);
    expect(await byWebhook(second)).toBe('duplicate');
    const withClick = { ...sale, clickId, invoiceId: second };
    expect((await app.call('POST', '/api/track/sale', { body: withClick })).body.error.code).toBe('DUPLICATE_INVOICE');
    expect((await app.call('POST', '/api/track/sale', { body: { ...withClick, invoiceId: third } })).status).toBe(200);
    expect((await report({ ...sale, invoiceId: third })).status).toBe(409);
    expect(await salesOf(customer)).toHaveLength(3);
  });

  it.each(['the backend', 'the processor'])(
    "when %s parked it first, keeps its own amount, the processor's total and pending refunds",
    async (first) => {
      const customer = unique('user');
      const [invoice, intent] = [unique('in'), unique('pi')];
      const delivered = () => deliver(invoicePaid({ customer: unique('cus'), invoice, amount: 2_000 }));
      const reported = () => report({ customerExternalId: customer, amount: 1_600, invoiceId: invoice });
      if (first === 'the processor') expect(await delivered()).toBe('unattributed');
      expect((await reported()).status).toBe(202);
      if (first === 'the backend') expect(await delivered()).toBe('unattributed');
      expect(await parkedNow()).toHaveLength(1);
      await deliver(chargeRefunded(intent, 2_000, 500));
      await deliver(invoicePaymentPaid(invoice, intent));

      await referrer.lead(customer);
      const [sale, ...others] = await salesOf(customer);
      expect(others).toEqual([]);
      expect(sale).toMatchObject({
        amount: 1_600,
        grossAmount: 2_000,
        commissionAmount: 320,
        refundedAmount: 500,
        reversedCommissionAmount: 80,
      });
      const { body } = await app.call('GET', '/api/deliveries?outcome=sale&limit=1');
      expect(body.data[0].saleId).toBe(sale.id);
    },
  );

  it('takes over the payment that a processor parked, with its later refunds', async () => {
    const customer = unique('user');
    await referrer.lead(customer);
    const [invoice, intent] = [unique('in'), unique('pi')];
    expect(await deliver(invoicePaid({ customer: unique('cus'), invoice, amount: 2_000 }))).toBe('unattributed');
    expect((await report({ customerExternalId: customer, amount: 1_600, invoiceId: invoice })).status).toBe(200);
    expect(await parkedNow()).toEqual([]);
    await deliver(invoicePaymentPaid(invoice, intent));
    expect(await deliver(chargeRefunded(intent, 2_000, 2_000))).toBe('reversal');
    expect(await salesOf(customer)).toMatchObject([
      { amount: 1_600, grossAmount: 2_000, status: 'refunded', reversedCommissionAmount: 320 },
    ]);
  });

  it('counts once when it and the lead arrive at the same instant', async () => {
    const clickId = await referrer.click();
    const customers = Array.from({ length: 20 }, () => unique('user'));
    await Promise.all(
      customers.flatMap((customerExternalId) => {
        const sale = { customerExternalId, amount: 1_000, invoiceId: unique('order') };
        const body = { clickId, eventName: 'Sign up', customerExternalId };
        return [untilTaken(() => report(sale)), untilTaken(() => app.call('POST', '/api/track/lead', { body }))];
      }),
    );
    for (const customer of customers) expect(await salesOf(customer)).toHaveLength(1);
    expect(await parkedNow()).toEqual([]);
  });

  it('is refused without a customer, and leaves nothing', async () => {
    expect((await report({ amount: 5 })).body.error.code).toBe('VALIDATION_ERROR');
    expect(await parkedNow()).toEqual([]);
  });
});
