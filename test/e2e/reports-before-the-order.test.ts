import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retryDueDeliveries } from '../../src/deliveries/retry.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { orderOf, refundOf, type Units } from '../helpers/shopify-orders.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';

const LINES: Units[] = [[1, 1, 10_000]];

/** Goods of 108.00 with 8.00 tax, and shipping of 5.00, in euros: 113.00, which the shopper saw as 169.50 dollars. */
const orderIn = (id: string) => orderOf(LINES, { id, taxes_included: true, subtotal_price: '108.00' });

const disputeOf = (id: string, changes: object) => ({
  id,
  order_id: id,
  type: 'chargeback',
  amount: '113.00',
  currency: 'EUR',
  status: 'needs_response',
  initiated_at: '2026-11-02T12:00:00Z',
  ...changes,
});

/** A return of the goods that kept 10.00. */
const returnOf = (id: string) => ({
  ...refundOf(3, LINES, { paidBackIn: 'EUR' }),
  id,
  order_id: id,
  return: { id: 9 },
  transactions: [{ kind: 'refund', status: 'success', amount: '98.00', currency: 'EUR' }],
  refund_line_items: [{ line_item_id: 1, quantity: 1, subtotal: '108.00', total_tax: '8.00' }],
});

describe.each(engines)('reports in euros of a Shopify order that the backend sold in dollars, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let shopify: EndpointUnderTest;
  let orders = 7_100;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    shopify = await createEndpoint(app, 'shopify', { shopDomain: 'shop.myshopify.com' });
  });
  afterAll(() => app.close());

  /** What becomes of the sale when these reports come before it, and the order after it. */
  async function saleAfter(reports: (id: string) => [topic: string, body: object][]) {
    orders += 1;
    const id = String(orders);
    const customer = unique('user');
    const clickId = await referrer.lead(customer);
    const deliver = async (topic: string, body: object) =>
      expect((await shopify.deliver(body, topic)).status).toBe(200);
    for (const [topic, body] of reports(id)) await deliver(topic, body);
    const invoiceId = `gid://shopify/Order/${id}`;
    const sale = { clickId, customerExternalId: customer, amount: 15_000, currency: 'usd', invoiceId };
    const { body } = await app.call('POST', '/api/track/sale', { body: sale });
    await deliver('orders/paid', orderIn(id));
    await retryDueDeliveries(app.service);
    await requireAgreement(app.service, app.accountId);
    return (await app.call('GET', `/api/sales/${body.sale.id}`)).body;
  }

  it('are applied with the order: a dispute that was lost stays lost', async () => {
    const sale = await saleAfter((id) => [
      ['disputes/create', disputeOf(id, {})],
      ['disputes/update', disputeOf(id, { status: 'lost', finalized_on: '2026-11-03T12:00:00Z' })],
    ]);
    expect(sale).toMatchObject({ status: 'refunded', refundedAmount: 16_950, reversedCommissionAmount: 3_000 });
  });

  it('are applied with the order: a return takes back the goods that its update names', async () => {
    const sale = await saleAfter((id) => [
      ['refunds/create', returnOf(id)],
      ['orders/updated', { ...orderIn(id), refunds: [returnOf(id)] }],
    ]);
    // 30.00 × 90.74 ÷ 100.00, not 30.00 × 98.00 ÷ 113.00
    expect(sale).toMatchObject({ refundedAmount: 14_700, reversedCommissionAmount: 2_722 });
  });
});
