import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

/** One character, and two units of UTF-16. */
const SCROLL = '📜';

describe.each(engines)('an id of the greatest length, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it('that a lead may have is found in the webhook of its payment', async () => {
    const referrer = await createReferrer(app);
    const stripe = await createEndpoint(app, 'stripe');
    const customer = SCROLL.repeat(255);
    await referrer.lead(customer);
    const { body } = await stripe.deliver(checkoutCompleted({ externalId: customer, amount: 5_000 }));
    expect(body).toEqual({ received: true, outcome: 'sale' });
    const sales = await app.call('GET', `/api/sales?customerExternalId=${encodeURIComponent(customer)}`);
    expect(sales.body.data).toEqual([expect.objectContaining({ partnerId: referrer.partnerId, amount: 5_000 })]);
  });
});
