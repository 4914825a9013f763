import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, unique } from '../helpers/story.ts';
import {
  checkoutCompleted,
  customerUpdated,
  invoicePaid,
  invoicePaymentPaid,
  stripeEvent,
} from '../helpers/stripe-payloads.ts';
import { placesOf } from './places-of.ts';
import { sweep } from './sweep.ts';
import { withEmail } from './with-email.ts';

describe.each(engines)('a person without an id of the caller, on %s', (engine) => {
  let app: TestApp;
  let stripe: EndpointUnderTest;
  beforeAll(async () => {
    app = await createTestApp(engine);
    stripe = await createEndpoint(app, 'stripe');
    const hooks = { url: 'https://hooks.example.com/', types: ['payment.unattributed', 'sale.created'] };
    expect((await app.call('POST', '/api/event-endpoints', { body: hooks })).status).toBe(201);
  });
  afterAll(() => app.close());

  const personalData = (named: string) => app.call('GET', `/api/customers/${named}/personal-data`);
  const erase = (named: string) => app.call('DELETE', `/api/customers/${named}/personal-data`);
  const deliver = async (event: object) => (await stripe.deliver(event)).body.outcome;

  /** Erases them, and expects that nothing is left, also after another payment with the address. */
  async function expectErasable(named: string, email: string) {
    expect(await placesOf(app.service.database, email)).not.toEqual([]);
    expect((await erase(named)).status).toBe(204);
    await sweep(app.service);
    expect(await placesOf(app.service.database, email)).toEqual([]);
    expect(await deliver(withEmail(checkoutCompleted({}), email))).toBe('unattributed');
    await sweep(app.service);
    expect(await placesOf(app.service.database, email)).toEqual([]);
    expect((await erase(named)).status).toBe(204);
  }

  /** Somebody who paid after a click; returns the click. */
  async function createGuest(email: string) {
    const clickId = await (await createReferrer(app)).click();
    const paid = withEmail(checkoutCompleted({}), email);
    const object = { ...paid.data.object, metadata: { svc_id: clickId } };
    expect(await deliver({ ...paid, data: { object } })).toBe('sale');
    const [{ id, externalId }] = (await app.call('GET', `/api/customers?email=${email}`)).body.data;
    expect(externalId).toBeNull();
    return { id, clickId };
  }
  async function signUp(customerExternalId: string, clickId: string, customerEmail: string) {
    const body = { clickId, eventName: 'Sign up', customerExternalId, customerEmail };
    return (await app.call('POST', '/api/track/lead', { body })).body.customer.email;
  }

  it('is erased by the id of their customer, if a click made them a guest', async () => {
    const email = `${unique('guest')}@example.com`;
    const { id } = await createGuest(email);
    expect((await personalData(id)).body).toMatchObject({
      externalId: null,
      customer: { id, email },
      deliveries: [{ body: expect.stringContaining(email) }],
    });
    const refused = await erase(email);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'INVALID_STATE']);
    expect(refused.body.error.message).toContain(id);
    await expectErasable(id, email);
  });

  it('is known again after a sign-up by the click of the guest who was erased', async () => {
    const [externalId, email] = [unique('user'), `${unique('guest')}@example.com`];
    const { id, clickId } = await createGuest(email);
    expect((await erase(id)).status).toBe(204);
    await sweep(app.service);
    expect(await signUp(externalId, clickId, email)).toBe(email);
    expect((await personalData(externalId)).body.customer).toMatchObject({ id, email });
  });

  it('is erased as a guest, too, who signs up under an id that was erased', async () => {
    const [externalId, email] = [unique('user'), `${unique('guest')}@example.com`];
    expect(await deliver(checkoutCompleted({ externalId }))).toBe('unattributed');
    expect((await erase(externalId)).status).toBe(204);
    const { clickId } = await createGuest(email);
    expect(await signUp(externalId, clickId, email)).toBeNull();
    await sweep(app.service);
    expect(await placesOf(app.service.database, email)).toEqual([]);
  });

  it('is erased by the id of their customer, if they have only a name', async () => {
    const name = unique('Guest');
    const paid = checkoutCompleted({});
    const metadata = { svc_id: await (await createReferrer(app)).click() };
    const object = { ...paid.data.object, metadata, customer_details: { email: null, name } };
    expect(await deliver({ ...paid, data: { object } })).toBe('sale');
    expect((await placesOf(app.service.database, name)).join()).toMatch(/customers.*events|events.*customers/);
    const { data } = (await app.call('GET', '/api/customers?limit=1')).body;
    expect(data).toMatchObject([{ name }]);
    expect((await erase(data[0].id)).status).toBe(204);
    await sweep(app.service);
    expect(await placesOf(app.service.database, name)).toEqual([]);
  });

  it('is erased by the id that they got later, with what was stored before', async () => {
    const [externalId, name] = [unique('user'), unique('Guest')];
    const clickId = await (await createReferrer(app)).click();
    const paid = checkoutCompleted({});
    const object = { ...paid.data.object, metadata: { svc_id: clickId }, customer_details: { email: null, name } };
    expect(await deliver({ ...paid, data: { object } })).toBe('sale');
    await signUp(externalId, clickId, `${externalId}@example.com`);
    expect((await placesOf(app.service.database, name)).join()).toMatch(/events/);
    expect((await erase(externalId)).status).toBe(204);
    await sweep(app.service);
    expect(await placesOf(app.service.database, name)).toEqual([]);
  });

  it('is erased by the id that they got later, with what all reports of their payment said', async () => {
    const [externalId, name, customer] = [unique('user'), unique('Guest'), unique('cus')];
    const [invoice, paymentIntent] = [unique('in'), unique('pi')];
    const named = <Event extends { data: { object: object } }>(event: Event) => {
      const details = { customer_name: name, customer_details: { email: null, name } };
      return { ...event, data: { object: { ...event.data.object, ...details } } };
    };
    const session = () => named(checkoutCompleted({ customer, paymentIntent }));
    for (const first of [session(), named(invoicePaid({ customer, invoice }))]) {
      expect(await deliver(first)).toBe('unattributed');
    }
    expect(await deliver(invoicePaymentPaid(invoice, paymentIntent))).toBe('noted');
    await signUp(externalId, await (await createReferrer(app)).click(), `${externalId}@example.com`);
    expect(await deliver(customerUpdated(customer, externalId))).toBe('noted');
    expect(await deliver(session())).toBe('duplicate');
    const places = (await placesOf(app.service.database, name)).map((place) => place.split(':')[0]);
    const bodies = Array.from({ length: 3 }, () => ['deliveries.body', 'events.body']).flat();
    expect(places.toSorted()).toEqual(['customers.name', ...bodies].toSorted());
    expect((await erase(externalId)).status).toBe(204);
    await sweep(app.service);
    expect(await placesOf(app.service.database, name)).toEqual([]);
  });

  it('is erased by e-mail address, if only an unattributed payment names them', async () => {
    const email = `${unique('payer')}@example.com`;
    expect(await deliver(withEmail(checkoutCompleted({}), email))).toBe('unattributed');
    expect((await personalData(email)).body).toMatchObject({
      externalId: null,
      customer: null,
      parkedPayments: [{ email, name: 'Mia Example' }],
    });
    await expectErasable(email, email);
  });

  it("is erased by e-mail address, if only a processor's id of a customer has it", async () => {
    const email = `${unique('known')}@example.com`;
    const object = { id: unique('cus'), object: 'customer', email, name: 'Mia Example', metadata: {} };
    await deliver(stripeEvent('customer.created', object));
    const reported = () => personalData(email).then(({ body }) => body.processorIds);
    const id = { processor: 'stripe', kind: 'customer', value: object.id };
    expect(await reported()).toEqual([{ ...id, email, name: 'Mia Example' }]);
    await expectErasable(email, email);
    expect(await reported()).toEqual([]);
  });

  it('or whose id is their address, is erased with what they paid under it', async () => {
    const email = `${unique('id')}@example.com`;
    await (await createReferrer(app)).lead(email);
    expect(await deliver(withEmail(checkoutCompleted({}), email))).toBe('unattributed');
    expect((await personalData(email)).body.parkedPayments).toMatchObject([{ email, name: 'Mia Example' }]);
    expect((await erase(email)).status).toBe(204);
    await sweep(app.service);
    const places = await placesOf(app.service.database, email);
    expect(places.toSorted()).toEqual([`audit_log.resource_id: ${email}`, `customers.external_id: ${email}`]);
  });

  it('is not found under an address that nobody or only a partner has, who is named by id', async () => {
    const { body: partner } = await app.call('GET', `/api/partners/${(await createReferrer(app)).partnerId}`);
    for (const address of ['nobody@example.com', partner.email]) {
      for (const ask of [erase, personalData]) {
        const { status, body } = await ask(address);
        const message = `No customer "${address}" in this account; name a partner by id (ptr_…)`;
        expect([status, body.error.message]).toEqual([404, message]);
      }
    }
  });
});
