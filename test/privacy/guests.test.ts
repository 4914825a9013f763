import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted, invoicePaymentPaid } from '../helpers/stripe-payloads.ts';
import { placesOf } from './places-of.ts';
import { sweep } from './sweep.ts';

describe.each(engines)('guests who turn out to have made the payment of an erased customer, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  let customer: string;
  let code: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
  });
  beforeEach(async () => {
    customer = unique('user');
    code = unique('CODE');
    await app.call('PATCH', `/api/partners/${referrer.partnerId}`, { body: { discountCodes: [code] } });
    await referrer.lead(customer);
  });
  afterAll(() => app.close());

  async function erase(named: string): Promise<void> {
    expect((await app.call('DELETE', `/api/customers/${named}/personal-data`)).status).toBe(204);
  }

  /** A sale that the backend reports for the customer. */
  async function reportSale(invoiceId: string): Promise<void> {
    const body = { clickId: await referrer.click(), customerExternalId: customer, amount: 5_000, invoiceId };
    expect((await app.call('POST', '/api/track/sale', { body })).status).toBe(200);
  }

  /** A sale of somebody who only gives a code, a name and an address; returns the text that both contain. */
  async function sellToGuest(paymentIntent: string): Promise<string> {
    const guest = unique('guest');
    const event = checkoutCompleted({ paymentIntent });
    const payer = { customer: null, customer_details: { email: `${guest}@example.com`, name: `Name of ${guest}` } };
    const object = { ...event.data.object, ...payer, discounts: [{ promotion_code: code }] };
    expect((await stripe.deliver({ ...event, data: { object } })).body.outcome).toBe('sale');
    expect((await placesOf(app.service.database, guest)).join()).toContain('customers.name');
    return guest;
  }

  async function expectNothingOf(...guests: string[]): Promise<void> {
    await sweep(app.service);
    for (const guest of guests) expect(await placesOf(app.service.database, guest)).toEqual([]);
  }

  it.each(['customer', 'guest'])(
    'are erased with the customer, when the %s’s sale was counted first',
    async (first) => {
      const [invoiceId, paymentIntent] = [unique('in'), unique('pi')];
      if (first === 'customer') await reportSale(invoiceId);
      const guest = await sellToGuest(paymentIntent);
      if (first === 'guest') await reportSale(invoiceId);
      await stripe.deliver(invoicePaymentPaid(invoiceId, paymentIntent));
      await erase(customer);
      await expectNothingOf(guest);
    },
  );

  it.each(['before', 'after'])('are all erased, when several turn out to be one %s the erasure', async (when) => {
    const [invoiceId, one, other, customers] = [unique('in'), unique('pi'), unique('pi'), unique('pi')];
    await reportSale(customers);
    if (when === 'after') await erase(customer);
    const guests = [await sellToGuest(one), await sellToGuest(other)];
    for (const paymentIntent of [one, other, customers])
      await stripe.deliver(invoicePaymentPaid(invoiceId, paymentIntent));
    if (when === 'before') await erase(customer);
    await expectNothingOf(...guests);
  });

  it('are erased with the guest who is erased', async () => {
    const [invoiceId, one, other] = [unique('in'), unique('pi'), unique('pi')];
    const guests = [await sellToGuest(one), await sellToGuest(other)];
    for (const paymentIntent of [one, other]) await stripe.deliver(invoicePaymentPaid(invoiceId, paymentIntent));
    const { body } = await app.call('GET', `/api/customers?email=${guests[0]}@example.com`);
    await erase(body.data[0].id);
    await expectNothingOf(...guests);
  });
});
