import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Processor } from '../../src/core/processor.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import { invoicePaid, stripeEvent } from '../helpers/stripe-payloads.ts';

/** The deliveries of one subscription, whose start names a code and whose payments name none. */
interface Told {
  start: unknown[];
  payments: unknown[];
  /** The invoice ids of the sales that they become. */
  sales: string[];
  eventType?: string;
}

const STRIPE_DISCOUNTS: Record<string, (ids: Ids, code: string) => unknown[]> = {
  "Stripe's session of a subscription with a free trial": ({ customer, subscription }, code) => [
    stripeEvent('checkout.session.completed', {
      id: unique('cs'),
      object: 'checkout.session',
      mode: 'subscription',
      payment_status: 'no_payment_required',
      amount_total: 0,
      currency: 'usd',
      customer,
      subscription,
      invoice: unique('in'),
      payment_intent: null,
      discounts: [{ coupon: null, promotion_code: code }],
      metadata: {},
    }),
  ],
  "Stripe's customer.subscription.created with expanded discounts": ({ customer, subscription }, code) => [
    stripeEvent('customer.subscription.created', {
      id: subscription,
      object: 'subscription',
      status: 'trialing',
      customer,
      metadata: {},
      discounts: [{ id: unique('di'), object: 'discount', source: { coupon: code }, promotion_code: null }],
    }),
  ],
  "Stripe's customer.discount.created of a subscription": ({ customer, subscription }, code) => [
    stripeEvent('customer.subscription.created', {
      id: subscription,
      object: 'subscription',
      status: 'trialing',
      customer,
      metadata: {},
      discounts: ['di_1'],
    }),
    stripeEvent('customer.discount.created', { ...DISCOUNT, customer, subscription, promotion_code: code }),
  ],
  "Stripe's customer.discount.updated of a customer": ({ customer }, code) => [
    stripeEvent('customer.discount.updated', { ...DISCOUNT, customer, subscription: null, promotion_code: code }),
  ],
};

const DISCOUNT = { id: 'di_1', object: 'discount', source: { type: 'coupon', coupon: 'SUMMER' } };

interface Ids {
  customer: string;
  subscription: string;
}

function ids(): Ids {
  return { customer: unique('cus'), subscription: unique('sub') };
}

const SUBSCRIPTIONS: Record<string, { processor: Processor; tell(code: string): Told }> = {
  ...Object.fromEntries(
    Object.entries(STRIPE_DISCOUNTS).map(([name, start]) => [
      name,
      { processor: 'stripe' as const, tell: (code: string) => ofStripe(ids(), (own) => start(own, code)) },
    ]),
  ),
  "RevenueCat's trial with an offer code": { processor: 'revenuecat', tell: ofRevenueCat },
  "Paddle's transaction of nothing with a discount": { processor: 'paddle', tell: ofPaddle },
  "Polar's order of nothing with a discount": { processor: 'polar', tell: ofPolar },
  "Shopify's order of nothing with a code": { processor: 'shopify', tell: ofShopify },
};

function ofStripe(own: Ids, start: (ids: Ids) => unknown[]): Told {
  const sales = [unique('in'), unique('in')];
  return { start: start(own), payments: sales.map((invoice) => invoicePaid({ ...own, invoice })), sales };
}

function ofRevenueCat(offer_code: string): Told {
  const [user, original] = [`$RCAnonymousID:${unique('a')}`, unique('GPA')];
  const event = (transaction: string, members: object) => ({
    api_version: '1.0',
    event: {
      id: unique('event'),
      event_timestamp_ms: Date.now(),
      purchased_at_ms: Date.now(),
      environment: 'PRODUCTION',
      store: 'APP_STORE',
      app_user_id: user,
      original_app_user_id: user,
      aliases: [user],
      transaction_id: transaction,
      original_transaction_id: original,
      currency: 'USD',
      offer_code: null,
      ...members,
    },
  });
  const renewal = { type: 'RENEWAL', period_type: 'NORMAL', price: 9.99, price_in_purchased_currency: 9.99 };
  const [first, second] = [unique('GPA'), unique('GPA')];
  const trial = { type: 'INITIAL_PURCHASE', period_type: 'TRIAL', price: 0, price_in_purchased_currency: 0 };
  return {
    start: [event(original, { ...trial, offer_code })],
    payments: [event(first, { ...renewal, is_trial_conversion: true }), event(second, renewal)],
    sales: [`APP_STORE:${first}`, `APP_STORE:${second}`],
  };
}

function ofPaddle(discount_id: string): Told {
  const [customer_id, subscription_id] = [unique('ctm_'), unique('sub_')];
  const transaction = (total: string, members: object) => ({
    event_id: unique('evt_'),
    event_type: 'transaction.completed',
    occurred_at: '2026-11-01T00:00:00.000Z',
    data: {
      customer_id,
      subscription_id,
      discount_id: null,
      currency_code: 'USD',
      custom_data: null,
      items: [],
      details: { totals: { subtotal: total, discount: '0', tax: '0', total, grand_total: total } },
      payments: [],
      ...members,
    },
  });
  const sales = [unique('txn_'), unique('txn_')];
  return {
    start: [transaction('0', { id: unique('txn_'), origin: 'web', discount_id })],
    payments: sales.map((id) => transaction('2000', { id, origin: 'subscription_recurring' })),
    sales,
  };
}

function ofPolar(code: string): Told {
  const [customer_id, subscription_id] = [unique('customer'), unique('subscription')];
  const order = (amount: number, members: object) => ({
    type: 'order.paid',
    timestamp: '2026-11-01T00:00:00.000Z',
    data: {
      status: 'paid',
      currency: 'usd',
      net_amount: amount,
      total_amount: amount,
      customer_id,
      subscription_id,
      metadata: {},
      discount: null,
      ...members,
    },
  });
  const sales = [unique('order'), unique('order')];
  const discount = { id: unique('discount'), code };
  return {
    start: [order(0, { id: unique('order'), billing_reason: 'subscription_create', discount })],
    payments: sales.map((id) => order(2_000, { id, billing_reason: 'subscription_cycle' })),
    sales,
  };
}

function ofShopify(code: string): Told {
  const customer = { id: shopifyId() };
  const order = (id: number, price: string, codes: object[]) => ({
    id,
    created_at: '2026-11-01T00:00:00Z',
    financial_status: 'paid',
    currency: 'USD',
    total_price: price,
    subtotal_price: price,
    total_tax: '0.00',
    taxes_included: false,
    line_items: [],
    discount_codes: codes,
    customer,
    test: false,
  });
  const orders = [shopifyId(), shopifyId()];
  return {
    start: [order(shopifyId(), '0.00', [{ code, amount: '20.00', type: 'percentage' }])],
    payments: orders.map((id) => order(id, '20.00', [])),
    sales: orders.map((id) => `gid://shopify/Order/${id}`),
    eventType: 'orders/paid',
  };
}

let lastShopifyId = 7_000_000_000;

function shopifyId(): number {
  lastShopifyId += 1;
  return lastShopifyId;
}

/** Every order of these deliveries. */
function ordersOf<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) => ordersOf(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

describe.each(engines)('a code that only the start of a subscription names, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it.each(Object.entries(SUBSCRIPTIONS))(
    'earns the first and later payments: %s',
    async (_name, { processor, tell }) => {
      const settings = processor === 'shopify' ? { shopDomain: 'example.myshopify.com' } : {};
      const endpoint = await createEndpoint(app, processor, settings);
      const code = unique('promo');
      const { partnerId } = await createReferrer(app, { discountCodes: [code] });
      const orderCount = ordersOf(allOf(tell(code))).length;
      for (let index = 0; index < orderCount; index += 1) {
        const told = tell(code);
        const order = ordersOf(allOf(told))[index] ?? [];
        for (const event of order) {
          expect((await endpoint.deliver(event, told.eventType)).body.outcome).not.toMatch(/unknown|failed|ignored/);
        }
        for (const invoiceId of told.sales) {
          const { body } = await app.call('GET', `/api/sales?invoiceId=${encodeURIComponent(invoiceId)}`);
          expect(body.data).toMatchObject([{ invoiceId, partnerId }]);
        }
      }
    },
  );
});

function allOf({ start, payments }: Told): unknown[] {
  return [...start, ...payments];
}
