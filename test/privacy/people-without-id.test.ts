import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eraseMentions } from '../../src/inbox/erase-bodies.ts';
import { eraseMentionedIdentities } from '../../src/payments/erasure/erase-identities.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, unique } from '../helpers/story.ts';
import { checkoutCompleted, stripeEvent } from '../helpers/stripe-payloads.ts';
import { placesOf } from './places-of.ts';
import { withEmail } from './with-email.ts';

const HOUR_MS = 3_600_000;

describe.each(engines)('a person without an id of the caller, on %s', (engine) => {
  let app: TestApp;
  let stripe: EndpointUnderTest;
  let lateMs = 0;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.now() + lateMs } });
    stripe = await createEndpoint(app, 'stripe');
  });
  afterAll(() => app.close());

  const personalData = (named: string) => app.call('GET', `/api/customers/${named}/personal-data`);
  const erase = (named: string) => app.call('DELETE', `/api/customers/${named}/personal-data`);
  const deliver = async (event: object) => (await stripe.deliver(event)).body.outcome;
  async function sweep() {
    lateMs = HOUR_MS;
    await eraseMentionedIdentities(app.service);
    await eraseMentions(app.service);
    lateMs = 0;
  }

  /** Erases them, and expects that nothing is left, also after another payment with the address. */
  async function expectErasable(named: string, email: string) {
    expect(await placesOf(app.service.database, email)).not.toEqual([]);
    expect((await erase(named)).status).toBe(204);
    await sweep();
    expect(await placesOf(app.service.database, email)).toEqual([]);
    expect(await deliver(withEmail(checkoutCompleted({}), email))).toBe('unattributed');
    await sweep();
    expect(await placesOf(app.service.database, email)).toEqual([]);
    expect((await erase(named)).status).toBe(204);
  }

  it('is erased by the id of their customer, if a click made them a guest', async () => {
    const email = `${unique('guest')}@example.com`;
    const referrer = await createReferrer(app);
    const paid = withEmail(checkoutCompleted({}), email);
    const object = { ...paid.data.object, metadata: { svc_id: await referrer.click() } };
    expect(await deliver({ ...paid, data: { object } })).toBe('sale');
    const [{ id, externalId }] = (await app.call('GET', `/api/customers?email=${email}`)).body.data;
    expect(externalId).toBeNull();
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
    await sweep();
    const places = await placesOf(app.service.database, email);
    expect(places.toSorted()).toEqual([`audit_log.resource_id: ${email}`, `customers.external_id: ${email}`]);
  });

  it('is not found under an address that nobody has', async () => {
    for (const ask of [erase, personalData]) expect((await ask('nobody@example.com')).status).toBe(404);
  });
});
