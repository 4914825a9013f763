import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { chargeRefunded, checkoutCompleted } from '../helpers/stripe-payloads.ts';

describe.each(engines)('a parked payment that has expired, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  let customer: string;
  let intent: string;
  beforeAll(async () => {
    // a payment expires as soon as it is parked, because signatures keep the clock from being moved
    app = await createTestApp(engine, { service: { parkedDays: 0 } });
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
  });
  beforeEach(() => {
    [customer, intent] = [unique('user'), unique('pi')];
  });
  afterAll(() => app.close());

  const session = () => checkoutCompleted({ externalId: customer, paymentIntent: intent });
  const salesOf = async () => (await app.call('GET', `/api/sales?customerExternalId=${customer}`)).body.data;
  const lastDelivery = async () => (await app.call('GET', '/api/deliveries?limit=1')).body.data[0];
  const attributeByHand = async () => {
    const { body } = await app.call('GET', '/api/parked-payments?limit=1');
    const answer = await app.call('POST', `/api/parked-payments/${body.data[0].id}/attribute`, {
      body: { customerExternalId: customer },
    });
    expect(answer.status).toBe(200);
  };

  it('earns nothing by a refund that names its customer, which counts once somebody attributes it', async () => {
    expect((await stripe.deliver(session())).body.outcome).toBe('unattributed');
    await referrer.lead(customer);
    const refund = chargeRefunded(intent, 5_000, 1_000);
    Object.assign(refund.data.object, { metadata: { svcCustomerExternalId: customer } });
    expect((await stripe.deliver(refund)).body).toMatchObject({ outcome: 'noted' });
    expect((await lastDelivery()).reason).toContain('expired');
    expect(await salesOf()).toEqual([]);

    await attributeByHand();
    expect(await salesOf()).toMatchObject([
      { amount: 5_000, commissionAmount: 1_000, refundedAmount: 1_000, reversedCommissionAmount: 200 },
    ]);
  });

  it('earns nothing when it is delivered to another endpoint, or a delivery of it is retried', async () => {
    const event = session();
    expect((await stripe.deliver(event)).body.outcome).toBe('unattributed');
    const { id } = await lastDelivery();
    await referrer.lead(customer);
    const other = await createEndpoint(app, 'stripe');
    expect((await other.deliver(event)).body.outcome).toBe('duplicate');
    expect((await app.call('POST', `/api/deliveries/${id}/retry`)).body.outcome).toBe('unattributed');
    expect(await salesOf()).toEqual([]);

    await attributeByHand();
    expect((await app.call('GET', `/api/deliveries/${id}`)).body.outcome).toBe('sale');
    expect((await other.deliver({ ...event, id: unique('evt') })).body.outcome).toBe('duplicate');
    expect(await salesOf()).toHaveLength(1);
  });

  it('earns nothing by the first webhook of what your backend reported, but by your report with a click', async () => {
    const body = { customerExternalId: customer, amount: 4_000, invoiceId: intent };
    expect((await app.call('POST', '/api/sales', { body })).status).toBe(202);
    const clickId = await referrer.lead(customer);
    expect((await stripe.deliver(session())).body.outcome).toBe('unattributed');
    const { id } = await lastDelivery();
    expect((await stripe.deliver({ ...session(), id: unique('evt') })).body.outcome).toBe('duplicate');
    expect(await salesOf()).toEqual([]);

    expect((await app.call('POST', '/api/track/sale', { body: { ...body, clickId } })).status).toBe(200);
    expect(await salesOf()).toMatchObject([{ amount: 4_000, grossAmount: 5_000, commissionAmount: 800 }]);
    expect((await app.call('GET', `/api/deliveries/${id}`)).body.outcome).toBe('duplicate');
  });
});
