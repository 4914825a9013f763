import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryRequest } from '../../adapters/contract/adapter.ts';
import { readPage } from '../../adapters/shopify/backfill.ts';
import shopify from '../../adapters/shopify/index.ts';
import { rawJSON } from '../../src/cli/replay/raw-json.ts';
import { enforceFactLimits } from '../../src/core/fact-limits.ts';
import type { Interpretation } from '../../src/core/facts.ts';
import { type Fixture, loadFixtures } from './fixtures.ts';
import { requestTo, type ShopApi, startShop } from './shopify-api.ts';
import { fixture, interpreted, paymentIn, SETTINGS } from './shopify-bodies.ts';

let shop: ShopApi;
beforeAll(async () => {
  shop = await startShop();
});
beforeEach(() => {
  shop.orders = [];
});
afterAll(() => shop.close());

type Body = Record<string, unknown>;

/** A fixture whose numbers are written as they are. */
function exactly(name: string): Body {
  return JSON.parse(fixture(name).toString('utf8'), (_name, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? rawJSON(context?.source ?? '') : value,
  );
}

/** What the shop's API returns for these orders, as deliveries. */
async function readBack(...orders: Body[]): Promise<DeliveryRequest[]> {
  shop.orders = orders.map((order) => JSON.stringify(order));
  const { deliveries } = await readPage(requestTo(shop));
  return deliveries;
}

const topicOf = ({ headers }: DeliveryRequest) => headers['x-shopify-topic'];

/** What the adapter reads from the deliveries of this topic. */
function read(
  deliveries: DeliveryRequest[],
  topic: string,
  settings: Fixture['settings'] = SETTINGS,
): Interpretation[] {
  return deliveries
    .filter((delivery) => topicOf(delivery) === topic)
    .map((delivery) => enforceFactLimits(shopify.interpret(shopify.read(delivery), delivery.headers, settings)));
}

const fixtures = await loadFixtures('shopify');
/** Of these, the topic or the outcome differs, as the tests below say. */
const NOT_PAID = ['orders_paid--partially-paid', 'orders_paid--voided', 'orders_paid--unknown-status'];
const CANCELLED = 'orders_paid--cancelled';

describe('the facts of an order that was read back are those of its webhook:', () => {
  const orders = fixtures.filter(({ eventType }) => ['orders/paid', 'orders/create'].includes(eventType));

  it.each(orders.filter(({ name }) => ![...NOT_PAID, CANCELLED].includes(name)))(
    '$name',
    async ({ name, eventType, settings, interpretation }) => {
      const deliveries = await readBack(exactly(name));
      const isPaid = name !== 'orders_create';
      expect(deliveries.map(topicOf)).toEqual([isPaid ? 'orders/paid' : eventType]);
      expect(read(deliveries, isPaid ? 'orders/paid' : eventType, settings)).toEqual([interpretation]);
    },
  );

  it.each(NOT_PAID)('%s, as orders/create, because it is not paid', async (name) => {
    const deliveries = await readBack(exactly(name));
    expect(deliveries.map(topicOf)).toEqual(['orders/create']);
    expect(read(deliveries, 'orders/create')).toEqual([interpreted(fixture(name), 'orders/create')]);
  });

  it('orders_paid--cancelled counts as it did before it was cancelled, when it was paid', async () => {
    const order = exactly(CANCELLED);
    const before = interpreted(Buffer.from(JSON.stringify({ ...order, cancelled_at: null })), 'orders/paid');
    expect(read(await readBack(order), 'orders/paid')).toEqual([before]);
    expect(paymentIn(before)).toMatchObject({ grossMinor: 11_217, netMinor: 9_900 });
  });

  it('except for when it was stated, which is its last update, so that a webhook that was written before counts', async () => {
    const order = exactly('orders_paid');
    const [later] = read(await readBack({ ...order, updated_at: '2026-10-30T00:00:00Z' }), 'orders/paid');
    const webhook = paymentIn(interpreted(fixture('orders_paid'), 'orders/paid'));
    expect(later).toEqual({ kind: 'facts', facts: [{ ...webhook, statedAt: Date.UTC(2026, 9, 30) }] });
  });

  it('with an id beyond 2^53 that no global id repeats', async () => {
    const { admin_graphql_api_id: _, ...order } = exactly('orders_paid');
    const deliveries = await readBack({ ...order, id: rawJSON('820982911946154508') });
    expect(deliveries[0]?.rawBody.toString('utf8')).toContain('"id":820982911946154508,');
    const [interpretation] = read(deliveries, 'orders/paid');
    expect(interpretation && paymentIn(interpretation).invoiceId).toBe('gid://shopify/Order/820982911946154508');
  });
});

describe('the facts of a refund that was read back are those of its webhook:', () => {
  const refunds = fixtures.filter(({ eventType }) => eventType === 'refunds/create');
  const refundedOrder = (name: string, changes: Body = {}): Body => {
    const refund = exactly(name);
    return {
      ...exactly('orders_paid'),
      id: refund.order_id,
      financial_status: 'refunded',
      refunds: [refund],
      ...changes,
    };
  };

  it.each(refunds)('$name', async ({ name, settings, interpretation }) => {
    const deliveries = await readBack(refundedOrder(name));
    expect(read(deliveries, 'refunds/create', settings)).toEqual([interpretation]);
    expect(read(deliveries, 'orders/paid', { ...settings, acceptTestEvents: true })).toHaveLength(1);
  });

  it('every refund of an order, and the payment with what was paid before them', async () => {
    const names = ['refunds_create', 'refunds_create--goods-without-shipping', 'refunds_create--the-rest'];
    const order = {
      ...exactly('orders_paid'),
      financial_status: 'refunded',
      current_total_price: '0.00',
      current_subtotal_price: '0.00',
      current_total_tax: '0.00',
      refunds: names.map(exactly),
    };
    const deliveries = await readBack(order);
    expect(read(deliveries, 'orders/paid')).toEqual([interpreted(fixture('orders_paid'), 'orders/paid')]);
    expect(read(deliveries, 'refunds/create')).toEqual(
      names.map((name) => interpreted(fixture(name), 'refunds/create')),
    );
    expect(deliveries.map(topicOf)).not.toContain('orders/updated');
  });

  it('a refund that was pending counts once it has ended, as in the orders/updated that ended it', async () => {
    const deliveries = await readBack(exactly('orders_updated--pending-refund-ended'));
    const webhook = interpreted(fixture('orders_updated--pending-refund-ended'), 'orders/updated');
    expect(read(deliveries, 'refunds/create')).toEqual([webhook]);
  });

  it('a refund that says more together with its order comes with orders/updated, too', async () => {
    const refund = { ...exactly('refunds_create--goods-without-shipping'), return: { id: 1 } };
    // less than its lines with their tax: only the order says that the prices do not include it
    const transactions = [{ kind: 'refund', status: 'success', amount: '40.00', currency: 'USD' }];
    const order = { ...exactly('orders_paid'), refunds: [{ ...refund, transactions }] };
    const deliveries = await readBack(order);
    expect(deliveries.map(topicOf)).toEqual(['orders/paid', 'refunds/create', 'orders/updated']);
    const webhook = interpreted(Buffer.from(JSON.stringify(order)), 'orders/updated');
    expect(read(deliveries, 'orders/updated')).toEqual([webhook]);
    expect(read(deliveries, 'refunds/create')).not.toEqual([webhook]);
  });

  it('amounts that are numbers keep their digits', async () => {
    const order = refundedOrder('refunds_create', {
      refunds: [{ ...exactly('refunds_create'), note: rawJSON('25.4870') }],
    });
    const [, refund] = await readBack(order);
    expect(refund?.rawBody.toString('utf8')).toContain('"note":25.4870');
  });
});

describe('an order that was edited counts what was paid:', () => {
  const current = (total: string, subtotal: string, outstanding: string) => ({
    current_total_price: total,
    current_subtotal_price: subtotal,
    total_outstanding: outstanding,
  });
  const whole = interpreted(fixture('orders_paid'), 'orders/paid');

  it('all of it, if an item was removed after the payment and is not refunded yet', async () => {
    const removed = { ...exactly('refunds_create--restock-only'), transactions: [] };
    const order = { ...exactly('orders_paid'), ...current('63.12', '54.00', '-49.05'), refunds: [removed] };
    expect(read(await readBack(order), 'orders/paid')).toEqual([whole]);
  });

  it('all of it, if the shipping was removed after the payment', async () => {
    const { shipping_lines: lines, ...order } = exactly('orders_paid');
    const shipping = (lines as Body[]).map((line) => ({ ...line, is_removed: true }));
    const edited = { ...order, ...current('107.17', '99.00', '-5.00'), shipping_lines: shipping };
    expect(read(await readBack(edited), 'orders/paid')).toEqual([whole]);
  });

  it.each([
    ['nothing is owed', '0.00'],
    ['something else is owed', '-1.00'],
    ['the order does not say what is owed', null],
  ])('the current total, if %s: it was edited before the payment', async (_what, outstanding) => {
    const order = { ...exactly('orders_paid--edited-before-payment'), total_outstanding: outstanding };
    const webhook = interpreted(fixture('orders_paid--edited-before-payment'), 'orders/paid');
    expect(read(await readBack(order), 'orders/paid')).toEqual([webhook]);
    expect(paymentIn(webhook).grossMinor).toBe(5_817);
  });

  it('the current net amount, if the edit did not change the total', async () => {
    const order = { ...exactly('orders_paid'), ...current('112.17', '90.00', '0.00') };
    const webhook = interpreted(Buffer.from(JSON.stringify(order)), 'orders/paid');
    expect(read(await readBack(order), 'orders/paid')).toEqual([webhook]);
    expect(paymentIn(webhook).netMinor).toBe(9_000);
  });
});

describe('an order that was edited differs from its webhook, because it does not tell when:', () => {
  const grossOf = ([interpretation]: Interpretation[]) => interpretation && paymentIn(interpretation).grossMinor;

  it('items that were added after the payment, and paid, count with the rest', async () => {
    const added = { current_total_price: '166.17', current_subtotal_price: '153.00', total_outstanding: '0.00' };
    expect(grossOf(read(await readBack({ ...exactly('orders_paid'), ...added }), 'orders/paid'))).toBe(16_617);
  });

  it('items that were added after the payment, and not paid, keep it from counting until they are', async () => {
    const added = { current_total_price: '166.17', current_subtotal_price: '153.00', total_outstanding: '54.00' };
    const order = { ...exactly('orders_paid'), ...added, financial_status: 'partially_paid' };
    const deliveries = await readBack(order);
    expect(deliveries.map(topicOf)).toEqual(['orders/create']);
  });

  it('after a refund, an edit before the payment is not seen', async () => {
    const order = { ...exactly('orders_paid--edited-before-payment'), refunds: [exactly('refunds_create')] };
    expect(grossOf(read(await readBack(order), 'orders/paid'))).toBe(11_217);
  });
});

describe('an order that nobody can read', () => {
  it.each([
    ['without a status', { financial_status: null }, 'orders/create'],
    ['with refunds that are no list', { refunds: {} }, 'orders/paid'],
    ['with a refund that is nothing', { refunds: [null] }, 'orders/paid'],
    ['without lines', { line_items: null }, 'orders/paid'],
  ])('%s becomes unknown, with the reason, as its webhook would', async (_what, changes, topic) => {
    const order = { ...exactly('orders_paid'), ...changes };
    const deliveries = await readBack(order);
    expect(read(deliveries, topic)).toEqual([interpreted(Buffer.from(JSON.stringify(order)), topic)]);
    expect(read(deliveries, topic)).toMatchObject([{ kind: 'unknown' }]);
  });
});
