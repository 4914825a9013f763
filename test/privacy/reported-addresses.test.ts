import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importCsv } from '../../src/exchange/import-csv.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { checkoutUnpaid, invoicePaid, invoicePaymentPaid, stripeEvent } from '../helpers/stripe-payloads.ts';
import { placesOf } from './places-of.ts';
import { sweep } from './sweep.ts';
import { withEmail } from './with-email.ts';

describe.each(engines)('forgetting an address that a processor reported for an id of its own, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  let customer: string;
  let email: string;
  let processorCustomer: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
    const hooks = { url: 'https://hooks.example.com/in', types: ['sale.created', 'payment.unattributed'] };
    expect((await app.call('POST', '/api/event-endpoints', { body: hooks })).status).toBe(201);
  });
  beforeEach(() => {
    customer = unique('user');
    email = `${customer}@example.com`;
    processorCustomer = unique('cus');
  });
  afterAll(() => app.close());

  const stored = () => placesOf(app.service.database, email);
  const reportAddress = () =>
    stripe.deliver({
      ...invoicePaid({ amount: 0 }),
      type: 'customer.updated',
      data: { object: { id: processorCustomer, object: 'customer', email } },
    });

  async function erase() {
    expect((await app.call('DELETE', `/api/customers/${customer}/personal-data`)).status).toBe(204);
  }

  it('covers a parked payment that waits for the address', async () => {
    await referrer.lead(customer, { customerEmail: email });
    await reportAddress();
    const parked = invoicePaid({ customer: processorCustomer });
    expect((await stripe.deliver(parked)).body).toMatchObject({ outcome: 'unattributed' });
    expect((await stored()).join(' ')).toMatch(/identities.*parked_hints/);
    await erase();
    await sweep(app.service);
    expect(await stored()).toEqual([]);
  });

  it('covers a parked payment whose customer the processor reports afterwards', async () => {
    await referrer.lead(customer, { customerEmail: email });
    await stripe.deliver(invoicePaid({ customer: processorCustomer }));
    await reportAddress();
    expect((await stored()).join(' ')).toMatch(/identities.*parked_hints/);
    await erase();
    await sweep(app.service);
    expect(await stored()).toEqual([]);
  });

  it('is not undone when the processor reports it again before a payment under the erased id', async () => {
    await referrer.lead(customer, { customerEmail: email });
    await erase();
    await reportAddress();
    const paid = invoicePaid({ externalId: customer, subscription: unique('sub'), customer: processorCustomer });
    expect((await stripe.deliver(paid)).body.outcome).toBe('sale');
    await sweep(app.service);
    expect(await stored()).toEqual([]);
  });

  it("is not undone by a payment under an id of theirs, which came with somebody else's click", async () => {
    const svc_id = await referrer.lead(unique('user'));
    const metadata = { svcCustomerExternalId: customer, svc_id };
    await stripe.deliver(stripeEvent('customer.updated', { id: processorCustomer, object: 'customer', metadata }));
    await erase();
    const paid = invoicePaid({ customer: processorCustomer });
    const object = { ...paid.data.object, customer_email: email };
    expect((await stripe.deliver({ ...paid, data: { object } })).body.outcome).toBe('sale');
    const { body } = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
    expect(body.data).toMatchObject([{ customer: { externalId: customer, email: null } }]);
    expect((await stored()).filter((place) => place.startsWith('customers'))).toEqual([]);
  });

  /** How a payment turns out to be the customer's. */
  type Found = (paid: { clickId: string; invoiceId: string }) => Promise<unknown>;
  const namedNow = () => ({ externalId: customer, subscription: unique('sub'), customer: processorCustomer });
  const saleOf = (invoiceId: string) => ({ customerExternalId: customer, amount: 2_000, invoiceId });
  const post = (path: string, body: object) => app.call('POST', path, { body });
  const found: Record<string, Found> = {
    'a later report names them': () => stripe.deliver(invoicePaid(namedNow())),
    'a later report of it names them': ({ invoiceId }) =>
      stripe.deliver(invoicePaid({ ...namedNow(), invoice: invoiceId })),
    'somebody attributes it by hand': async () => {
      const [payment] = (await app.call('GET', '/api/parked-payments')).body.data;
      return post(`/api/parked-payments/${payment.id}/attribute`, { customerExternalId: customer });
    },
    'the backend reports it': ({ invoiceId }) => post('/api/sales', saleOf(invoiceId)),
    'the backend reports it with a click': ({ clickId, invoiceId }) =>
      post('/api/track/sale', { ...saleOf(invoiceId), clickId }),
    'it is joined with a sale of theirs': async ({ clickId, invoiceId }) => {
      const paymentIntent = unique('pi');
      await post('/api/track/sale', { ...saleOf(paymentIntent), clickId });
      return stripe.deliver(invoicePaymentPaid(invoiceId, paymentIntent));
    },
    'an import brings it': async ({ invoiceId }) => {
      const columns = 'invoiceId,partner,customer,amount,commission,currency,status,date,processor';
      const row = `${invoiceId},${referrer.partnerId},${customer},20.00,4.00,usd,open,2026-11-01,stripe`;
      const file = ReadableStream.from([Buffer.from(`${columns}\n${row}\n`)]);
      const options = { file, kind: 'sales', columns: new Map(), isDryRun: false, reportPath: null } as const;
      const { created } = await importCsv({ ...app, programId: null, origin: null }, options);
      expect(created).toBe(1);
    },
  };

  it.each(Object.keys(found))('is not undone by a payment that stayed parked until %s', async (how) => {
    const clickId = await referrer.lead(customer);
    await erase();
    // an address and an id that nobody has named before
    const parked = withEmail(invoicePaid({ customer: processorCustomer }), email);
    expect((await stripe.deliver(parked)).body.outcome).toBe('unattributed');
    await sweep(app.service);
    const tables = (await stored()).map((place) => place.split('.')[0]);
    expect(tables).toEqual(expect.arrayContaining(['parked_hints', 'deliveries', 'events']));
    await found[how]?.({ clickId, invoiceId: parked.data.object.id });
    await sweep(app.service);
    expect(await stored()).toEqual([]);
    const sales = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
    expect(sales.body.data.length).toBeGreaterThan(0);
  });

  it.each(Object.keys(found))('covers a payment that had stayed parked until %s', async (how) => {
    const clickId = await referrer.lead(customer);
    const parked = withEmail(invoicePaid({ customer: processorCustomer }), email);
    expect((await stripe.deliver(parked)).body.outcome).toBe('unattributed');
    expect((await stored()).join(' ')).toMatch(/parked_hints/);
    await found[how]?.({ clickId, invoiceId: parked.data.object.id });
    expect((await stored()).filter((place) => place.startsWith('parked_hints'))).toEqual([]);
    await erase();
    await sweep(app.service);
    expect(await stored()).toEqual([]);
  });

  it('is not undone by a payment that was announced before your backend reports it', async () => {
    await referrer.lead(customer);
    await erase();
    const paymentIntent = unique('pi');
    const announced = checkoutUnpaid({ paymentIntent });
    const object = { ...announced.data.object, customer_details: { email, name: null } };
    await stripe.deliver({ ...announced, data: { object } });
    await sweep(app.service);
    expect(await stored()).not.toEqual([]);
    expect((await post('/api/sales', saleOf(paymentIntent))).status).toBe(200);
    await sweep(app.service);
    expect(await stored()).toEqual([]);
  });

  it('is not undone for a person whom only parked payments name', async () => {
    const subscription = unique('sub');
    await stripe.deliver(invoicePaid({ externalId: customer, subscription }));
    await erase();
    await reportAddress();
    await stripe.deliver(invoicePaid({ externalId: customer, subscription, customer: processorCustomer }));
    expect((await stored()).filter((place) => /^(parked_hints|payments|customers)/.test(place))).toEqual([]);
    await erase();
    await sweep(app.service);
    expect(await stored()).toEqual([]);
  });
});
