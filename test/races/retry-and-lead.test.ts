import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { retryDelivery } from '../../src/deliveries/retry.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { holding } from '../helpers/holding.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

/** Long enough for a lead that waits for nobody to end. */
const HELD_MS = 500;

/** SQLite runs one unit after the other. */
const CONCURRENT = engines.filter((engine) => engine === 'postgres');

describe.each(CONCURRENT)('a delivery that is retried while a lead attributes its payment, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it.each([
    ['has read its result, before it claims the payment', /SELECT status, outcome, reason[\s\S]*FROM deliveries/],
    ['has locked it, after it has claimed the payment', /FOR NO KEY UPDATE/],
  ])('keeps saying that it became a sale, when the retry %s', async (_when, held) => {
    const [referrer, stripe] = [await createReferrer(app), await createEndpoint(app, 'stripe')];
    const customer = unique('user');
    const parked = await stripe.deliver(checkoutCompleted({ externalId: customer }));
    expect(parked.body.outcome).toBe('unattributed');
    const { body: deliveries } = await app.call('GET', '/api/deliveries');
    const deliveryId = deliveries.data[0].id;

    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const hold = { held, when: 'after', reached: reached.resolve, release: release.promise } as const;
    const database = holding(app.service.database, hold);
    const retrying = retryDelivery(createService({ ...app.service, database }), app.accountId, deliveryId);
    await Promise.race([reached.promise, retrying]);
    const lead = referrer.lead(customer);
    await Promise.race([lead, pause(HELD_MS)]);
    release.resolve();
    await Promise.all([retrying, lead]);

    const { body: sales } = await app.call('GET', `/api/sales?partnerId=${referrer.partnerId}`);
    expect(sales.data).toHaveLength(1);
    const { body: delivery } = await app.call('GET', `/api/deliveries/${deliveryId}`);
    expect(delivery).toMatchObject({ outcome: 'sale', saleId: sales.data[0].id });
  });
});
