import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted, invoicePaid } from '../helpers/stripe-payloads.ts';
import { placesOf } from './places-of.ts';
import { sweep } from './sweep.ts';
import { withEmail } from './with-email.ts';

describe.each(engines)('a payment of a customer that only another program may earn, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  let ofOther: EndpointUnderTest;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app, { programId: app.programId });
    stripe = await createEndpoint(app, 'stripe');
    const other = await app.call('POST', '/api/programs', { body: { name: 'Other' } });
    ofOther = await createEndpoint(app, 'stripe', { programId: other.body.id });
  });
  afterAll(() => app.close());

  const CASES = [null, 'a new subscription'].flatMap((subscribed) => [
    ['first', 'last', subscribed] as const,
    ['last', 'last', subscribed] as const,
    ['first', 'before the payment', subscribed] as const,
    ['last', 'before the payment', subscribed] as const,
  ]);

  it.each(CASES)('is erased: id at Stripe learned %s, customer erased %s, payment names %s', async (...which) => {
    const [learned, erased, subscribed] = which;
    const [user, customer, payer] = [unique('user'), unique('cus'), unique('payer')];
    const subscription = subscribed === null ? null : unique('sub');
    await referrer.lead(user);
    const learn = async () => {
      const { body } = await stripe.deliver(checkoutCompleted({ externalId: user, customer }));
      expect(body.outcome).toBe('sale');
    };
    const erase = async () => {
      expect((await app.call('DELETE', `/api/customers/${user}/personal-data`)).status).toBe(204);
    };
    if (learned === 'first') await learn();
    if (erased === 'before the payment') await erase();
    const paid = invoicePaid({ customer, subscription });
    const named = { customer_name: `Name of ${payer}`, customer_email: `${payer}@example.com` };
    const object = { ...(paid.data.object as object), ...named };
    expect((await ofOther.deliver({ ...paid, data: { object } })).body.outcome).toBe('unattributed');
    if (learned === 'last') await learn();
    if (erased === 'last') await erase();
    await sweep(app.service);
    expect(await placesOf(app.service.database, payer)).toEqual([]);
  });

  it('is erased with the name that it gave to a subscription of nobody', async () => {
    const [user, customer, payer] = [unique('user'), unique('cus'), unique('payer')];
    await referrer.lead(user);
    const paid = invoicePaid({ customer, subscription: unique('sub') });
    const object = { ...(paid.data.object as object), customer_name: payer };
    expect((await ofOther.deliver({ ...paid, data: { object } })).body.outcome).toBe('unattributed');
    expect((await stripe.deliver(checkoutCompleted({ externalId: user, customer }))).body.outcome).toBe('sale');
    expect((await placesOf(app.service.database, payer)).join()).toContain('identities.name');
    expect((await app.call('DELETE', `/api/customers/${user}/personal-data`)).status).toBe(204);
    await sweep(app.service);
    expect(await placesOf(app.service.database, payer)).toEqual([]);
  });

  it.each([1, 51])(
    'is erased and disclosed with a guest, but not if it names somebody else: %s of them',
    async (count) => {
      const [customer, payer, other] = [unique('cus'), unique('payer'), unique('other')];
      const guest = await createGuest(customer);
      const pay = (names: object, name: string) => {
        const { data } = invoicePaid({ customer, ...names });
        const named = { customer_name: `Name of ${name}`, customer_email: `${name}@example.com` };
        return ofOther.deliver({ ...invoicePaid({}), data: { object: { ...(data.object as object), ...named } } });
      };
      for (let nth = 0; nth < count; nth += 1) expect((await pay({}, payer)).body.outcome).toBe('unattributed');
      expect((await pay({ externalId: unique('user'), subscription: unique('sub') }, other)).body.outcome).toBe(
        'unattributed',
      );
      const { body } = await app.call('GET', `/api/customers/${guest}/personal-data`);
      expect(body.parkedPayments.map(({ name }: { name: string }) => name)).toEqual(
        Array(count).fill(`Name of ${payer}`),
      );
      expect((await app.call('DELETE', `/api/customers/${guest}/personal-data`)).status).toBe(204);
      await sweep(app.service);
      expect(await placesOf(app.service.database, payer)).toEqual([]);
      expect((await placesOf(app.service.database, other)).join()).toContain('payments.fact');
    },
  );

  /** Somebody whom only a click and an id of Stripe name; returns our id of the customer. */
  async function createGuest(customer: string): Promise<string> {
    const email = `${unique('guest')}@example.com`;
    const paid = withEmail(checkoutCompleted({ customer }), email);
    const object = { ...paid.data.object, metadata: { svc_id: await referrer.click() } };
    expect((await stripe.deliver({ ...paid, data: { object } })).body.outcome).toBe('sale');
    return (await app.call('GET', `/api/customers?email=${email}`)).body.data[0].id;
  }
});
