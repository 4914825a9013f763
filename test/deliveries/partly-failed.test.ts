import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retryDelivery } from '../../src/deliveries/retry.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { orderOf, refundOf } from '../helpers/shopify-orders.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';

describe.each(engines)('an order with several refunds, one of which cannot be converted, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let shopify: EndpointUnderTest;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    shopify = await createEndpoint(app, 'shopify', { shopDomain: 'example.myshopify.com' });
  });
  afterAll(() => app.close());

  /** Refunds 10.00 of 59.00, of which 50.00 earned 10.00, in euros, and another 10.00 in pounds. */
  function bodiesOf(customer: string) {
    const id = String(randomInt(1e9, 1e12));
    const refundIn = (nth: number, currency: string) => ({
      ...refundOf(nth, [], { paidBackIn: 'EUR' }),
      ...{ id: `${id}${nth}`, order_id: id },
      transactions: [{ kind: 'refund', status: 'success', amount: '10.00', currency }],
    });
    const paid = { id, note_attributes: [{ name: 'svcCustomerExternalId', value: customer }] };
    const order = orderOf([[1, 1, 5_000]], paid);
    return { order, update: { ...order, refunds: [refundIn(1, 'GBP'), refundIn(2, 'EUR'), refundIn(3, 'GBP')] } };
  }
  const newest = async () => (await app.call('GET', '/api/deliveries?limit=1')).body.data[0];
  const saleOf = async (customer: string) =>
    (await app.call('GET', `/api/sales?customerExternalId=${customer}`)).body.data[0];
  const counted = { refundedAmount: 1_000, reversedCommissionAmount: 169 };

  it('counts the others, fails, and fails again when it is retried', async () => {
    const customer = unique('user');
    const { order, update } = bodiesOf(customer);
    await referrer.lead(customer);
    expect((await shopify.deliver(order, 'orders/paid')).body.outcome).toBe('sale');
    expect((await shopify.deliver(update, 'orders/updated')).body.outcome).toBe('failed');
    const { id: saleId, ...sale } = await saleOf(customer);
    expect(sale).toMatchObject(counted);
    const { id } = await newest();
    const failed = { status: 'failed', outcome: 'failed', reason: expect.stringContaining('in gbp of sale'), saleId };
    expect((await app.call('GET', `/api/deliveries/${id}`)).body).toMatchObject({ ...failed, attempts: 1 });
    expect(await retryDelivery(app.service, app.accountId, id)).toMatchObject({ outcome: 'failed' });
    expect((await app.call('GET', `/api/deliveries/${id}`)).body).toMatchObject({ ...failed, attempts: 2 });
    expect(await saleOf(customer)).toMatchObject(counted);
    await requireAgreement(app.service, app.accountId);
  });

  it('counts the others and fails, too, if it arrives before the order', async () => {
    const customer = unique('user');
    const { order, update } = bodiesOf(customer);
    await referrer.lead(customer);
    expect((await shopify.deliver(update, 'orders/updated')).body.outcome).toBe('noted');
    const { id } = await newest();
    expect((await shopify.deliver(order, 'orders/paid')).body.outcome).toBe('sale');
    expect(await saleOf(customer)).toMatchObject(counted);
    expect((await app.call('GET', `/api/deliveries/${id}`)).body).toMatchObject({ status: 'failed' });
    expect(await retryDelivery(app.service, app.accountId, id)).toMatchObject({ outcome: 'failed' });
    expect(await saleOf(customer)).toMatchObject(counted);
    await requireAgreement(app.service, app.accountId);
  });
});
