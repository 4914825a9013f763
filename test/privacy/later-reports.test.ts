import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { markOf } from '../../src/app/person-marks.ts';
import type { CustomerHints, Fact } from '../../src/core/facts.ts';
import { PROCESSORS, type Processor } from '../../src/core/processor.ts';
import { addMark } from '../../src/inbox/marks.ts';
import { loadFixtures } from '../adapters/fixtures.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFactsOf } from '../helpers/facts.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted, invoicePaid, invoicePaymentPaid } from '../helpers/stripe-payloads.ts';
import { placesOf } from './places-of.ts';
import { sweep } from './sweep.ts';

const NO_HINTS = { externalIds: [], clickIds: [], processorCustomerId: null, subscriptionId: null };

describe.each(engines)('what processors report about an erased person under other ids, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  let customer: string;
  let email: string;
  let name: string;
  let cus: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
    const types = ['payment.unattributed', 'sale.created'];
    const hooks = await app.call('POST', '/api/event-endpoints', {
      body: { url: 'https://hooks.example.com/', types },
    });
    expect(hooks.status).toBe(201);
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { emailMatching: true } });
  });
  beforeEach(() => {
    customer = unique('user');
    email = `${customer}@example.com`;
    name = `Name of ${customer}`;
    cus = unique('cus');
  });
  afterAll(() => app.close());

  async function signUpAndErase() {
    await referrer.lead(customer, { customerEmail: email, customerName: name });
    await erase(customer);
    await sweep(app.service);
    expect(await stored()).toEqual([]);
  }
  async function erase(externalId: string) {
    expect((await app.call('DELETE', `/api/customers/${externalId}/personal-data`)).status).toBe(204);
  }
  const stored = async () => [
    ...(await placesOf(app.service.database, email)),
    ...(await placesOf(app.service.database, name)),
  ];
  /** An invoice of a processor's customer, which names the payer as given. */
  function invoice(payer: { customer_email?: string | null; customer_name?: string | null }, ids = { customer: cus }) {
    const paid = invoicePaid(ids);
    return { ...paid, data: { object: { ...(paid.data.object as object), customer_email: null, ...payer } } };
  }
  const named = () => ({ customer_email: email.toUpperCase(), customer_name: name });
  const apply = (processor: Processor, facts: Fact[]) => applyFactsOf(processor, app.service, app.accountId, ...facts);

  it('brings back neither the address nor the name, and still parks the payment', async () => {
    await signUpAndErase();
    expect((await stripe.deliver(invoice(named()))).body).toMatchObject({ outcome: 'unattributed' });
    expect((await stored()).filter((place) => !place.startsWith('deliveries.body'))).toEqual([]);
    await sweep(app.service);
    expect(await stored()).toEqual([]);
    const { data } = (await app.call('GET', '/api/parked-payments?limit=1')).body;
    expect(data).toMatchObject([{ customer: { processorCustomerId: cus, email: null, name: null } }]);
  });

  it('is erased with the next erasure when an earlier version had stored it again', async () => {
    await referrer.lead(customer);
    expect((await stripe.deliver(invoice(named()))).body).toMatchObject({ outcome: 'unattributed' });
    expect((await stored()).join()).toMatch(/identities.*payments.*parked_hints|payments.*identities.*parked_hints/);
    const mark = markOf(app.accountId, 'email', email);
    await app.service.database.write((tx) => addMark(tx, app.accountId, mark, Date.now()));
    await erase(customer);
    await sweep(app.service);
    expect(await stored()).toEqual([]);
  });

  it('brings back no name that comes with the processor’s id only, before or after the address', async () => {
    await signUpAndErase();
    const hints = { ...NO_HINTS, processorCustomerId: cus };
    const report = (customer: CustomerHints) =>
      apply('stripe', [{ kind: 'customer.identified', customer, occurredAt: 1 }]);
    await report({ ...hints, email: null, name });
    await report({ ...hints, email, name });
    expect(await stored()).toEqual([]);
    await report({ ...hints, email: null, name });
    expect((await stripe.deliver(invoice({ customer_name: name }))).body.outcome).toBe('unattributed');
    expect((await stored()).filter((place) => !place.startsWith('deliveries.body'))).toEqual([]);
  });

  it('leaves with the person whom it had reported for the processor’s id, unless it names somebody else', async () => {
    const [other, nameOfOther] = [unique('other'), unique('Name')];
    const ofOther = checkoutCompleted({ externalId: other, customer: cus });
    const object = { ...ofOther.data.object, customer_details: { email: null, name: nameOfOther } };
    const externalIds = [{ value: customer, place: 'metadata' }];
    const hints = { ...NO_HINTS, externalIds, processorCustomerId: cus, email: null, name: null };
    expect((await stripe.deliver({ ...ofOther, data: { object } })).body.outcome).toBe('unattributed');
    await apply('stripe', [{ kind: 'customer.identified', customer: hints, occurredAt: 1 }]);
    expect((await stripe.deliver(invoice({ customer_name: name }))).body.outcome).toBe('unattributed');
    expect((await stored()).join()).toMatch(/payments.*events|events.*payments/);
    await erase(customer);
    await sweep(app.service);
    expect(await stored()).toEqual([]);
    expect((await placesOf(app.service.database, nameOfOther)).join()).toContain('payments.fact');
  });

  it.each(['its money is reported', 'the backend reports it', 'it joins one that waits', 'it joins a sale'])(
    'brings nothing back through an order that was announced before the erasure, when afterwards %s',
    async (how) => {
      await referrer.lead(customer, { customerEmail: email, customerName: name });
      const [order, charge] = [unique('order'), unique('charge')];
      const paid = { references: [order], invoiceId: null, recurring: false, presentment: null, occurredAt: 1 };
      const amounts = {
        grossMinor: 500,
        netMinor: 500,
        taxMinor: 0,
        shippingMinor: 0,
        currency: 'usd',
        discountCodes: [],
      };
      const buyer = { ...NO_HINTS, processorCustomerId: cus, email, name };
      const nobody = { ...NO_HINTS, email: null, name: null };
      await app.call('PATCH', `/api/programs/${app.programId}`, { body: { emailMatching: false } });
      await apply('shopify', [{ kind: 'payment.announced', ...paid, ...amounts, customer: buyer }]);
      if (how === 'it joins a sale') {
        const sale = { clickId: await referrer.click(), customerExternalId: unique('other'), amount: 500 };
        const { status } = await app.call('POST', '/api/track/sale', { body: { ...sale, invoiceId: charge } });
        expect(status).toBe(200);
      }
      await erase(customer);
      if (how === 'its money is reported') {
        const captured = { kind: 'payment.captured', amountMinor: 500, currency: 'usd', occurredAt: 2 } as const;
        const { outcome } = await apply('shopify', [{ ...captured, references: [order] }]);
        expect(outcome).toBe('unattributed');
      } else if (how === 'the backend reports it') {
        const body = { customerExternalId: unique('other'), amount: 500, invoiceId: order };
        expect((await app.call('POST', '/api/sales', { body })).status).toBe(202);
      } else if (how === 'it joins one that waits') {
        await apply('shopify', [
          { kind: 'payment.received', ...paid, references: [charge], ...amounts, customer: nobody },
        ]);
      }
      await apply('shopify', [{ kind: 'payment.referenced', references: [order, charge] }]);
      await app.call('PATCH', `/api/programs/${app.programId}`, { body: { emailMatching: true } });
      expect(await stored()).toEqual([]);
    },
  );

  it.each(['first', 'last'])(
    'leaves with a guest whose sale, counted %s, turns out to be the person’s',
    async (when) => {
      await referrer.lead(customer);
      await erase(customer);
      const [invoiceId, paymentIntent, code] = [unique('in'), unique('pi'), unique('CODE')];
      await app.call('PATCH', `/api/partners/${referrer.partnerId}`, { body: { discountCodes: [code] } });
      const session = checkoutCompleted({ paymentIntent }).data.object;
      const guest = { ...session, customer_details: { email, name }, discounts: [{ promotion_code: code }] };
      const sale = { clickId: await referrer.click(), customerExternalId: customer, amount: 5_000, invoiceId };
      const report = async () => expect((await app.call('POST', '/api/track/sale', { body: sale })).status).toBe(200);
      if (when === 'last') await report();
      const event = { ...checkoutCompleted({}), data: { object: guest } };
      expect((await stripe.deliver(event)).body.outcome).toBe('sale');
      if (when === 'first') await report();
      expect((await stored()).join()).toContain('customers.name');
      await stripe.deliver(invoicePaymentPaid(invoiceId, paymentIntent));
      await sweep(app.service);
      expect(await stored()).toEqual([]);
    },
  );

  it.each(PROCESSORS)('brings nothing back through any report of %s, in either order', async (processor) => {
    await signUpAndErase();
    const fixtures = (await loadFixtures(processor)).flatMap(({ interpretation }) =>
      interpretation.kind === 'facts' ? [interpretation.facts.map(aboutThem)] : [],
    );
    expect(fixtures.length).toBeGreaterThan(5);
    const naming = fixtures.flat().filter((fact) => 'customer' in fact && fact.customer?.email === email);
    expect(naming).not.toHaveLength(0);
    for (const facts of [...fixtures, ...fixtures.toReversed()]) {
      await apply(
        processor,
        facts.map((fact) => ({ ...fact, ...('references' in fact && fresh(fact)) }) as Fact),
      );
    }
    expect(await stored()).toEqual([]);
  });

  /** The fact, if it names anybody, about the erased person under an id that nobody knows. */
  function aboutThem(fact: Fact): Fact {
    if (!('customer' in fact) || !fact.customer || fact.kind === 'customer.erased') return fact;
    const { externalIds, processorCustomerId, subscriptionId } = fact.customer;
    const ours = (id: string | null) => id && `${id} of ${customer}`;
    const ids = { processorCustomerId: ours(processorCustomerId), subscriptionId: ours(subscriptionId) };
    const others = externalIds.map(({ value, place }) => ({ value: `other ${value} of ${cus}`, place }));
    return { ...fact, customer: { ...fact.customer, ...ids, externalIds: others, email, name } } as Fact;
  }
  /** New references for each fact, so that no payment merges with those of other tests. */
  const fresh = ({ references = [] }: { references?: string[] }) => ({
    references: references.map((value) => `${value} of ${customer}`),
  });

  it('belongs to a new customer after another sign-up with the same address', async () => {
    await signUpAndErase();
    const again = unique('again');
    await referrer.lead(again, { customerEmail: email, customerName: 'Mia Again' });
    expect((await stripe.deliver(invoice({ customer_email: email }))).body.outcome).toBe('sale');
    const { data } = (await app.call('GET', `/api/sales?customerExternalId=${again}`)).body;
    expect(data).toMatchObject([{ customer: { externalId: again, email, name: 'Mia Again' } }]);
    await erase(again);
    await sweep(app.service);
    expect(await stored()).toEqual([]);
  });

  it('fills the profile of a new customer whom it names by an id that was not erased', async () => {
    await signUpAndErase();
    const again = unique('again');
    await referrer.lead(again);
    const session = JSON.stringify(checkoutCompleted({ externalId: again, customer: cus }));
    const paid = JSON.parse(session.replaceAll('mia@example.com', email));
    expect((await stripe.deliver(paid)).body.outcome).toBe('sale');
    const { customer: known } = (await app.call('GET', `/api/customers/${again}/personal-data`)).body;
    expect(known).toMatchObject({ email, name: 'Mia Example' });
  });

  it('attributes what came before another sign-up with the next payment of the processor’s customer', async () => {
    await signUpAndErase();
    expect((await stripe.deliver(invoice(named()))).body.outcome).toBe('unattributed');
    const again = unique('again');
    await referrer.lead(again, { customerEmail: email });
    expect((await stripe.deliver(invoice({ customer_email: email }))).body.outcome).toBe('sale');
    expect((await app.call('GET', `/api/sales?customerExternalId=${again}`)).body.data).toHaveLength(2);
  });
});
