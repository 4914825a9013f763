import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer } from '../helpers/story.ts';

const AT = '2026-11-01T00:00:00Z';
const ORDER = '6f2c1d8e-94b7-4a05-8c3e-17d5b2a960f4';
const PERSON = { customer_id: 9, created_at: AT, updated_at: AT };
const PAID = { ...PERSON, status: 'paid', currency: 'USD', total: 12_000, tax: 2_000 };
const INVOICE = { ...PAID, subscription_id: 8 };

/** A payload of Lemon Squeezy; it names the customer only in `custom`. */
function payload(event: string, type: string, id: string, attributes: Record<string, unknown>, custom: object = {}) {
  return { meta: { event_name: event, test_mode: false, custom_data: custom }, data: { type, id, attributes } };
}
const renewal = (id: string) =>
  payload('subscription_payment_success', 'subscription-invoices', id, { ...INVOICE, billing_reason: 'renewal' });
const subscription = (event: string, order_id: number | null, custom: object = {}) =>
  payload(event, 'subscriptions', '8', { ...PERSON, status: 'active', order_id }, custom);

describe.each(engines)('what POST /api/explain says of the ledger, on %s', (engine) => {
  let app: TestApp;
  let endpoint: EndpointUnderTest;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine);
    endpoint = await createEndpoint(app, 'lemon-squeezy');
    referrer = await createReferrer(app);
    await referrer.lead('mia');
  });
  afterAll(() => app.close());

  async function balance(): Promise<number> {
    const { data } = (await app.call('GET', `/api/ledger?partnerId=${referrer.partnerId}&limit=100`)).body;
    return data.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
  }

  it.each<[what: string, outcome: string, commission: number | null, body: ReturnType<typeof payload>]>([
    ['a renewal that names nobody', 'unattributed', null, renewal('1')],
    ['another', 'unattributed', null, renewal('2')],
    [
      'who has the subscription: both are sales',
      'noted',
      4_000,
      subscription('subscription_updated', null, { svcCustomerExternalId: 'mia' }),
    ],
    ['an order', 'sale', 2_000, payload('order_created', 'orders', '7', { ...PAID, identifier: ORDER })],
    [
      'a refund of its invoice, which does not name it',
      'noted',
      null,
      payload('subscription_payment_refunded', 'subscription-invoices', '3', {
        ...INVOICE,
        billing_reason: 'initial',
        status: 'partial_refund',
        refunded_amount: 6_000,
      }),
    ],
    ['which order it was', 'noted', -1_000, subscription('subscription_created', 7)],
  ])('is what happens: %s', async (_what, outcome, commission, body) => {
    const before = await balance();
    const input = { processor: 'lemon-squeezy', endpointId: endpoint.id, body };
    const { body: told } = await app.call('POST', '/api/explain', { body: input });
    expect([told.outcome, told.commissionAmount]).toEqual([outcome, commission]);
    expect((await endpoint.deliver(body)).body.outcome).toBe(outcome);
    expect((await balance()) - before).toBe(commission ?? 0);
    const [{ saleId }] = (await app.call('GET', '/api/deliveries?limit=1')).body.data;
    expect([told.partnerId, saleId === null]).toEqual([
      commission === null ? null : referrer.partnerId,
      commission === null,
    ]);
  });
});
