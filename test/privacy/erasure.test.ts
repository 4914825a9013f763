import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { chargeRefunded, checkoutCompleted, invoicePaid } from '../helpers/stripe-payloads.ts';
import { placesOf } from './places-of.ts';
import { sweep } from './sweep.ts';
import { withEmail } from './with-email.ts';

describe.each(engines)('erasing a person, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
    const hooks = {
      url: 'https://hooks.example.com/in',
      types: ['lead.created', 'sale.created', 'payment.unattributed'],
    };
    expect((await app.call('POST', '/api/event-endpoints', { body: hooks })).status).toBe(201);
  });
  afterAll(() => app.close());

  const personalData = (customer: string) => `/api/customers/${customer}/personal-data`;
  const stored = (text: string) => placesOf(app.service.database, text);
  const erase = (customer: string) => app.call('DELETE', personalData(customer));

  /**
   * A customer with a lead, an API sale, a webhook's sale, a refund, and a parked payment under another e-mail address.
   */
  async function livedThrough(customer: string, email: string) {
    const named = {
      customerEmail: email,
      customerName: `Name of ${customer}`,
      customerAvatar: `https://example.com/${customer}.png`,
    };
    const metadata = { note: `secret of ${customer}` };
    const clickId = await referrer.lead(customer, { ...named, metadata });
    const sale = {
      clickId,
      customerExternalId: customer,
      amount: 1_000,
      currency: 'usd',
      eventName: 'Order',
      metadata,
    };
    const invoiceId = unique('order');
    expect((await app.call('POST', '/api/track/sale', { body: { ...sale, ...named, invoiceId } })).status).toBe(200);
    const paymentIntent = unique('pi');
    const paid = withEmail(checkoutCompleted({ externalId: customer, customer: unique('cus'), paymentIntent }), email);
    expect((await stripe.deliver(paid)).body.outcome).toBe('sale');
    const refund = withEmail(chargeRefunded(paymentIntent, 5_000, 500), email);
    expect((await stripe.deliver(refund)).body.outcome).toBe('reversal');
    return { clickId, paid };
  }

  it('removes them from every column, and keeps everything that was earned', async () => {
    const customer = unique('user');
    const email = `${customer}@example.com`;
    await livedThrough(customer, email);
    // mentions the person without belonging to one of their sales
    const stray = {
      ...invoicePaid({ amount: 0 }),
      type: 'customer.updated',
      data: { object: { id: unique('cus'), object: 'customer', email } },
    };
    await stripe.deliver(stray);
    expect(await stored(email)).not.toEqual([]);
    const earned = await app.call('GET', `/api/partners/${referrer.partnerId}/earnings`);
    const sales = await app.call('GET', `/api/sales?customerExternalId=${customer}`);

    expect((await erase(customer)).status).toBe(204);
    await sweep(app.service);

    for (const gone of [email, `Name of ${customer}`, `${customer}.png`, `secret of ${customer}`, 'Mia Example']) {
      expect(await stored(gone)).toEqual([]);
    }
    expect((await app.call('GET', `/api/partners/${referrer.partnerId}/earnings`)).body).toEqual(earned.body);
    const kept = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
    const amountsOf = (answer: typeof sales) =>
      answer.body.data.map(
        ({ id, amount, commissionAmount, reversedCommissionAmount, clickId }: Record<string, unknown>) => {
          return [id, amount, commissionAmount, reversedCommissionAmount, clickId];
        },
      );
    expect(amountsOf(kept)).toEqual(amountsOf(sales));
    expect(kept.body.data).toHaveLength(2);
  });

  it('is not undone by what arrives later under the same id, which still earns', async () => {
    const customer = unique('user');
    const email = `${customer}@example.com`;
    const { clickId } = await livedThrough(customer, email);
    await erase(customer);
    await sweep(app.service);

    const named = { customerEmail: email, customerName: 'Again', metadata: { note: 'again' } };
    const lead = await app.call('POST', '/api/track/lead', {
      body: { clickId, eventName: 'Trial', customerExternalId: customer, ...named },
    });
    expect(lead.body.customer).toEqual({ externalId: customer, email: null, name: null });
    const sale = { customerExternalId: customer, amount: 700, currency: 'usd', invoiceId: unique('order'), ...named };
    expect((await app.call('POST', '/api/sales', { body: sale })).body.sale.commissionAmount).toBe(140);
    const [subscription, processorCustomer] = [unique('sub'), unique('cus')];
    const renewal = withEmail(invoicePaid({ externalId: customer, subscription, customer: processorCustomer }), email);
    expect((await stripe.deliver(renewal)).body.outcome).toBe('sale');
    // names them by the processor's id only
    const moved = `new-${email}`;
    const billed = withEmail(invoicePaid({ subscription, customer: processorCustomer }), moved);
    expect((await stripe.deliver(billed)).body.outcome).toBe('sale');
    await sweep(app.service);

    for (const gone of [email, moved, 'Again', '"again"']) expect(await stored(gone)).toEqual([]);
    expect((await app.call('GET', `/api/sales?customerExternalId=${customer}`)).body.data).toHaveLength(5);
  });

  it('covers a person whom only a parked payment names, before and after their sign-up', async () => {
    const customer = unique('user');
    const email = `${customer}@example.com`;
    const processorCustomer = unique('cus');
    const parked = withEmail(
      invoicePaid({ externalId: customer, subscription: unique('sub'), customer: processorCustomer }),
      email,
    );
    expect((await stripe.deliver(parked)).body.outcome).toBe('unattributed');
    expect((await app.call('GET', personalData(customer))).body.parkedPayments).toMatchObject([{ email }]);
    expect((await erase(customer)).status).toBe(204);
    await sweep(app.service);
    expect(await stored(email)).toEqual([]);

    await referrer.lead(customer, { customerEmail: email });
    const renewal = withEmail(invoicePaid({ customer: processorCustomer }), email);
    expect((await stripe.deliver(renewal)).body.outcome).toBe('sale');
    await sweep(app.service);
    expect(await stored(email)).toEqual([]);
    expect((await app.call('GET', `/api/sales?customerExternalId=${customer}`)).body.data).toHaveLength(2);
  });

  it('leaves other people alone', async () => {
    const [gone, stays] = [unique('user'), unique('user')];
    await livedThrough(gone, `${gone}@example.com`);
    await livedThrough(stays, `${stays}@example.com`);
    const before = await app.call('GET', personalData(stays));
    expect(before.body.deliveries).toHaveLength(2);
    await erase(gone);
    await sweep(app.service);
    expect((await app.call('GET', personalData(stays))).body).toEqual(before.body);
  });

  it('keeps the body of a delivery that still has to be processed, and deletes it afterwards', async () => {
    const customer = unique('user');
    const email = `${customer}@example.com`;
    await livedThrough(customer, email);
    const paid = withEmail(invoicePaid({ externalId: customer, subscription: unique('sub') }), email);
    await stripe.deliver(paid);
    await app.service.database.write((tx) =>
      tx.run(
        `UPDATE deliveries SET status = 'failed', outcome = 'failed' WHERE id = (SELECT id FROM deliveries ORDER BY id DESC LIMIT 1)`,
      ),
    );
    const [failed] = (await app.call('GET', '/api/deliveries?status=failed')).body.data;
    await erase(customer);
    await sweep(app.service);
    expect((await app.call('GET', `/api/deliveries/${failed.id}`)).body.body).not.toBeNull();
    expect((await app.call('POST', `/api/deliveries/${failed.id}/retry`)).status).toBe(200);
    await sweep(app.service);
    expect(await stored(email)).toEqual([]);
  });

  it('comes with a disclosure of everything that is stored about a customer', async () => {
    const customer = unique('user');
    const email = `${customer}@example.com`;
    const { clickId } = await livedThrough(customer, email);
    await referrer.lead(customer, { eventName: 'Activated' });
    const { status, body } = await app.call('GET', personalData(customer));
    expect([status, body]).toEqual([
      200,
      {
        externalId: customer,
        customer: expect.objectContaining({ email, name: `Name of ${customer}` }),
        leads: [
          expect.objectContaining({ eventName: 'Sign up', metadata: { note: `secret of ${customer}` } }),
          expect.objectContaining({ eventName: 'Activated', metadata: null }),
        ],
        sales: [expect.anything(), expect.anything()],
        parkedPayments: [],
        processorIds: [],
        clicks: [expect.objectContaining({ id: clickId, device: 'desktop' }), expect.anything()],
        deliveries: [
          expect.objectContaining({ eventType: 'checkout.session.completed', body: expect.stringContaining(email) }),
          expect.objectContaining({ eventType: 'charge.refunded', body: expect.stringContaining(email) }),
        ],
      },
    ]);
  });

  it('answers 404 for an unknown person, and 204 again for an erased one', async () => {
    expect((await erase('nobody_at_all')).status).toBe(404);
    expect((await app.call('GET', personalData('nobody_at_all'))).status).toBe(404);
    const customer = unique('user');
    await referrer.lead(customer);
    expect((await erase(customer)).status).toBe(204);
    expect((await erase(customer)).status).toBe(204);
  });
});
