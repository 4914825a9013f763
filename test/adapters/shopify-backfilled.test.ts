import { onTestFinished } from 'vitest';
import { readPage } from '../../adapters/shopify/backfill.ts';
import { describeBackfilled } from './backfilled-once.ts';
import { requestTo, SHOP, startShop } from './shopify-api.ts';
import { bodyOf, bytes } from './shopify-bodies.ts';

const PAID = {
  ...bodyOf('orders_paid'),
  note_attributes: [{ name: 'svcCustomerExternalId', value: 'user_4711' }],
};
const REFUND = bodyOf('refunds_create');

describeBackfilled({
  processor: 'shopify',
  settings: { shopDomain: SHOP },
  webhooks: [bytes(PAID), bytes(REFUND)],
  async read() {
    const shop = await startShop();
    onTestFinished(() => shop.close());
    const since = { financial_status: 'partially_refunded', updated_at: '2026-11-15T10:00:05-05:00', tags: 'shipped' };
    shop.orders = [JSON.stringify({ ...PAID, ...since, current_total_price: '88.67', refunds: [REFUND] })];
    return (await readPage(requestTo(shop))).deliveries;
  },
  // 23.50 of 112.17 was refunded without lines, and with it that share of the commission
  sale: {
    // it was on hold for a month
    status: 'approved',
    amount: 9_900,
    grossAmount: 11_217,
    commissionAmount: 1_980,
    refundedAmount: 2_350,
    reversedCommissionAmount: 415,
  },
});
