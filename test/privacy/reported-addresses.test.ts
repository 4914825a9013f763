import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eraseMentions } from '../../src/inbox/erase-bodies.ts';
import { eraseMentionedIdentities } from '../../src/payments/erasure/erase-identities.ts';
import { eraseFromEvents } from '../../src/privacy/events.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { invoicePaid, stripeEvent } from '../helpers/stripe-payloads.ts';
import { placesOf } from './places-of.ts';
import { withEmail } from './with-email.ts';

const HOUR_MS = 3_600_000;

describe.each(engines)('forgetting an address that a processor reported for an id of its own, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  let lateMs = 0;
  let customer: string;
  let email: string;
  let processorCustomer: string;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.now() + lateMs } });
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
  /** As the server does a while later. */
  async function sweep() {
    lateMs = HOUR_MS;
    await eraseMentionedIdentities(app.service);
    await eraseFromEvents(app.service);
    await eraseMentions(app.service);
    lateMs = 0;
  }

  it('covers a parked payment that waits for the address', async () => {
    await referrer.lead(customer, { customerEmail: email });
    await reportAddress();
    const parked = invoicePaid({ customer: processorCustomer });
    expect((await stripe.deliver(parked)).body).toMatchObject({ outcome: 'unattributed' });
    expect((await stored()).join(' ')).toMatch(/identities.*parked_hints/);
    await erase();
    await sweep();
    expect(await stored()).toEqual([]);
  });

  it('covers a parked payment whose customer the processor reports afterwards', async () => {
    await referrer.lead(customer, { customerEmail: email });
    await stripe.deliver(invoicePaid({ customer: processorCustomer }));
    await reportAddress();
    expect((await stored()).join(' ')).toMatch(/identities.*parked_hints/);
    await erase();
    await sweep();
    expect(await stored()).toEqual([]);
  });

  it('is not undone when the processor reports it again before a payment under the erased id', async () => {
    await referrer.lead(customer, { customerEmail: email });
    await erase();
    await reportAddress();
    const paid = invoicePaid({ externalId: customer, subscription: unique('sub'), customer: processorCustomer });
    expect((await stripe.deliver(paid)).body.outcome).toBe('sale');
    await sweep();
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

  it.each(['a later report names them', 'somebody attributes it by hand'])(
    'is not undone by a payment that stayed parked until %s',
    async (how) => {
      await referrer.lead(customer);
      await erase();
      // an address and an id that nobody has named before
      const parked = withEmail(invoicePaid({ customer: processorCustomer }), email);
      expect((await stripe.deliver(parked)).body.outcome).toBe('unattributed');
      await sweep();
      const tables = (await stored()).map((place) => place.split('.')[0]);
      expect(tables).toEqual(expect.arrayContaining(['parked_hints', 'deliveries', 'events']));
      if (how === 'a later report names them') {
        const named = { externalId: customer, subscription: unique('sub'), customer: processorCustomer };
        expect((await stripe.deliver(invoicePaid(named))).body.outcome).toBe('sale');
      } else {
        const [payment] = (await app.call('GET', '/api/parked-payments')).body.data;
        const body = { customerExternalId: customer };
        expect((await app.call('POST', `/api/parked-payments/${payment.id}/attribute`, { body })).status).toBe(200);
      }
      await sweep();
      expect(await stored()).toEqual([]);
      const sales = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
      expect(sales.body.data.length).toBeGreaterThan(0);
    },
  );

  it('is not undone for a person whom only parked payments name', async () => {
    const subscription = unique('sub');
    await stripe.deliver(invoicePaid({ externalId: customer, subscription }));
    await erase();
    await reportAddress();
    await stripe.deliver(invoicePaid({ externalId: customer, subscription, customer: processorCustomer }));
    expect((await stored()).filter((place) => /^(parked_hints|payments|customers)/.test(place))).toEqual([]);
    await erase();
    await sweep();
    expect(await stored()).toEqual([]);
  });
});
