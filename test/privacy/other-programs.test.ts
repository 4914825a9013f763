import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted, invoicePaid } from '../helpers/stripe-payloads.ts';
import { placesOf } from './places-of.ts';
import { sweep } from './sweep.ts';

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

  it.each([
    ['first', null],
    ['last', null],
    ['first', 'a new subscription'],
    ['last', 'a new subscription'],
  ])('is erased with the customer, whose id at Stripe is learned %s, if it names %s', async (learned, subscribed) => {
    const [user, customer, payer] = [unique('user'), unique('cus'), unique('payer')];
    const subscription = subscribed === null ? null : unique('sub');
    await referrer.lead(user);
    const learn = async () => {
      const { body } = await stripe.deliver(checkoutCompleted({ externalId: user, customer }));
      expect(body.outcome).toBe('sale');
    };
    if (learned === 'first') await learn();
    const paid = invoicePaid({ customer, subscription });
    const named = { customer_name: `Name of ${payer}`, customer_email: `${payer}@example.com` };
    const object = { ...(paid.data.object as object), ...named };
    expect((await ofOther.deliver({ ...paid, data: { object } })).body.outcome).toBe('unattributed');
    if (learned === 'last') await learn();
    expect((await app.call('DELETE', `/api/customers/${user}/personal-data`)).status).toBe(204);
    await sweep(app.service);
    expect(await placesOf(app.service.database, payer)).toEqual([]);
  });
});
