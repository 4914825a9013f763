import fc from 'fast-check';
import { minorToDecimal, multiplyRatio } from '../../src/core/money.ts';
import { type Arrivals, lead } from './arrivals.ts';
import { sent } from './shopify-orders.ts';

/** A paid order, what was added to it later, and what was refunded of it. Lines have the numbers 0 to 3. */
export interface EditedOrder {
  shop: string;
  /** The shopper's currency, and how many units of it 1,000 units of the shop's currency are. */
  shopper: { currency: string; perThousand: number } | null;
  taxesIncluded: boolean;
  /** Hundreds of minor units, so that a tax of 8 % is whole. */
  prices: number[];
  /** The line that is a gift card, which has no tax and earns nothing. */
  giftCard: number | null;
  shipping: number;
  paid: number[];
  added: number[];
  refunds: OrderRefund[];
  dispute: { percent: number; isLost: boolean } | null;
}

interface OrderRefund {
  /** The remaining units of each line. */
  units: number[];
  withShipping: boolean;
  inShoppersCurrency: boolean;
  /** The amount of a refund without returned units. */
  plainMinor: number;
  minute: number;
  toldBy: 'refunds/create' | 'orders/updated' | 'both';
}

const perLine = (max: number) => fc.array(fc.nat(max), { minLength: 4, maxLength: 4 });
const currency = fc.constantFrom('eur', 'jpy', 'kwd', 'usd');

export const editedOrders: fc.Arbitrary<EditedOrder> = fc
  .record({
    shop: currency,
    shopper: fc.option(fc.record({ currency, perThousand: fc.constantFrom(370, 1_000, 1_123, 150_000) })),
    taxesIncluded: fc.boolean(),
    prices: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 4, maxLength: 4 }),
    giftCard: fc.option(fc.integer({ min: 1, max: 3 })),
    shipping: fc.nat(5),
    paid: perLine(3),
    added: perLine(2),
    refunds: fc.array(
      fc.record({
        units: perLine(2),
        withShipping: fc.boolean(),
        inShoppersCurrency: fc.boolean(),
        plainMinor: fc.nat(200),
        minute: fc.nat(9),
        toldBy: fc.constantFrom<OrderRefund['toldBy'][]>('refunds/create', 'orders/updated', 'both'),
      }),
      { maxLength: 6 },
    ),
    dispute: fc.option(fc.record({ percent: fc.nat(100), isLost: fc.boolean() })),
  })
  .map((order) => ({
    ...order,
    shopper: order.shopper?.currency === order.shop ? null : order.shopper,
    paid: [1, ...order.paid.slice(1, 3), 0],
  }));

/** What one refund of the order paid back, in its own currency; `lines` with tax and without. */
export interface GivenBack {
  id: number;
  at: number;
  isPresented: boolean;
  amountMinor: number;
  lines: { line: number; quantity: number; amountMinor: number; netMinor: number }[];
  shippingMinor: number;
  toldBy: OrderRefund['toldBy'];
}

/** The amounts of an order, and the refunds that are possible. */
export class PricedOrder {
  readonly order: EditedOrder;
  readonly refunds: GivenBack[] = [];

  constructor(order: EditedOrder) {
    this.order = order;
    const left = this.units.map((quantity) => quantity);
    let shippingLeft = order.shipping * 100;
    for (const [index, refund] of order.refunds.entries()) {
      const units = refund.units.map((quantity, line) => Math.min(quantity, left[line] ?? 0));
      for (const [line, quantity] of units.entries()) left[line] = (left[line] ?? 0) - quantity;
      const shippingMinor = refund.withShipping ? shippingLeft : 0;
      shippingLeft -= shippingMinor;
      const given = this.#givenBack(refund, 900 + index, units, shippingMinor);
      if (given.amountMinor > 0) this.refunds.push(given);
    }
  }

  /** The units after the edit. */
  get units(): number[] {
    return this.order.paid.map((quantity, line) => quantity + (this.order.added[line] ?? 0));
  }

  priceOf(line: number, quantity: number): number {
    return (this.order.prices[line] ?? 0) * 100 * quantity;
  }

  taxOf(line: number, quantity: number): number {
    return line === this.order.giftCard ? 0 : (this.priceOf(line, quantity) * 8) / 100;
  }

  netOf(line: number, quantity: number): number {
    if (line === this.order.giftCard) return 0;
    return this.priceOf(line, quantity) - (this.order.taxesIncluded ? this.taxOf(line, quantity) : 0);
  }

  get subtotalMinor(): number {
    return this.#paidSum((line, quantity) => this.priceOf(line, quantity));
  }

  get taxMinor(): number {
    return this.#paidSum((line, quantity) => this.taxOf(line, quantity));
  }

  get netMinor(): number {
    return this.#paidSum((line, quantity) => this.netOf(line, quantity));
  }

  get grossMinor(): number {
    return this.subtotalMinor + (this.order.taxesIncluded ? 0 : this.taxMinor) + this.order.shipping * 100;
  }

  #paidSum(of: (line: number, quantity: number) => number): number {
    return this.order.paid.reduce((sum, quantity, line) => sum + of(line, quantity), 0);
  }

  /** The amount in the shopper's currency; at least one minor unit. */
  presented(amountMinor: number): number {
    const { shopper } = this.order;
    if (shopper === null || amountMinor === 0) return amountMinor;
    return Math.max(1, multiplyRatio(amountMinor, shopper.perThousand, 1_000));
  }

  #givenBack(refund: OrderRefund, id: number, units: number[], shippingMinor: number): GivenBack {
    const isPresented = refund.inShoppersCurrency && this.order.shopper !== null;
    const convert = (amountMinor: number) => (isPresented ? this.presented(amountMinor) : amountMinor);
    const lines = units.flatMap((quantity, line) => {
      if (quantity === 0) return [];
      const price = convert(this.priceOf(line, quantity));
      const tax = convert(this.taxOf(line, quantity));
      const [amountMinor, netMinor] = this.order.taxesIncluded ? [price, price - tax] : [price + tax, price];
      return [{ line, quantity, amountMinor, netMinor: line === this.order.giftCard ? 0 : netMinor }];
    });
    const described = lines.reduce((sum, line) => sum + line.amountMinor, convert(shippingMinor));
    const amountMinor = lines.length > 0 || shippingMinor > 0 ? described : convert(refund.plainMinor);
    const at = Date.UTC(2026, 10, 1, 12, refund.minute);
    return { id, at, isPresented, amountMinor, lines, shippingMinor, toldBy: refund.toldBy };
  }
}

/** Everything that Shopify sends about the order, and the lead. */
export function arrivalsOf(priced: PricedOrder): Arrivals {
  const { order, grossMinor } = priced;
  const told = Object.fromEntries(
    priced.refunds.flatMap((refund): [string, Arrivals[string]][] => {
      const body = refundBody(priced, refund);
      const created: [string, Arrivals[string]] = [`${refund.id} created`, sent('refunds/create', body)];
      const update = orderBody(priced, priced.units, { refunds: [body] });
      const updated: [string, Arrivals[string]] = [`${refund.id} updated`, sent('orders/updated', update)];
      return refund.toldBy === 'both' ? [created, updated] : refund.toldBy === 'orders/updated' ? [updated] : [created];
    }),
  );
  const again = orderBody(priced, priced.units, {
    updated_at: '2026-11-01T11:00:00Z',
    total_price: minorToDecimal(grossMinor * 2, order.shop),
  });
  const disputed = Math.floor((grossMinor * (order.dispute?.percent ?? 0)) / 100);
  const chargeback = {
    id: '55',
    order_id: '7001',
    type: 'chargeback',
    amount: minorToDecimal(disputed, order.shop),
    currency: order.shop.toUpperCase(),
    initiated_at: '2026-11-01T13:00:00Z',
  };
  return {
    lead,
    paid: sent('orders/paid', orderBody(priced, order.paid)),
    'paid again': sent('orders/paid', again),
    ...told,
    ...(order.dispute && { disputed: sent('disputes/create', { ...chargeback, status: 'needs_response' }) }),
    ...(order.dispute?.isLost && { lost: sent('disputes/update', { ...chargeback, status: 'lost' }) }),
  };
}

function moneySet(priced: PricedOrder, amountMinor: number) {
  const { shop, shopper } = priced.order;
  const money = (amount: number, code: string) => {
    return { amount: minorToDecimal(amount, code), currency_code: code.toUpperCase() };
  };
  const presented = money(priced.presented(amountMinor), shopper?.currency ?? shop);
  return { shop_money: money(amountMinor, shop), presentment_money: presented };
}

function orderBody(priced: PricedOrder, units: number[], changes: Record<string, unknown> = {}) {
  const { shop, taxesIncluded, giftCard, shipping } = priced.order;
  const text = (amountMinor: number) => minorToDecimal(amountMinor, shop);
  return {
    id: '7001',
    test: false,
    financial_status: 'paid',
    created_at: '2026-11-01T10:00:00Z',
    updated_at: '2026-11-01T10:00:00Z',
    currency: shop.toUpperCase(),
    taxes_included: taxesIncluded,
    total_price: text(priced.grossMinor),
    total_price_set: moneySet(priced, priced.grossMinor),
    subtotal_price: text(priced.subtotalMinor),
    total_tax: text(priced.taxMinor),
    line_items: units.flatMap((quantity, line) => {
      const tax_lines = [{ price: text(priced.taxOf(line, quantity)) }];
      const of = { price: text(priced.priceOf(line, 1)), gift_card: line === giftCard, tax_lines };
      return quantity === 0 ? [] : [{ id: line + 1, quantity, current_quantity: quantity, ...of }];
    }),
    shipping_lines: [{ price: text(shipping * 100) }],
    note_attributes: [{ name: 'svcCustomerExternalId', value: 'mia' }],
    ...changes,
  };
}

function refundBody(priced: PricedOrder, refund: GivenBack) {
  const { shop, shopper } = priced.order;
  const paidIn = refund.isPresented ? (shopper?.currency ?? shop) : shop;
  const amount = minorToDecimal(refund.amountMinor, paidIn);
  return {
    id: refund.id,
    order_id: '7001',
    created_at: new Date(refund.at).toISOString(),
    transactions: [{ kind: 'refund', status: 'success', amount, currency: paidIn.toUpperCase() }],
    refund_line_items: refund.lines.map(({ line, quantity }) => ({
      line_item_id: line + 1,
      line_item: { gift_card: line === priced.order.giftCard },
      quantity,
      subtotal_set: moneySet(priced, priced.priceOf(line, quantity)),
      total_tax_set: moneySet(priced, priced.taxOf(line, quantity)),
    })),
    refund_shipping_lines:
      refund.shippingMinor === 0
        ? []
        : [{ subtotal_amount_set: moneySet(priced, refund.shippingMinor), tax_amount_set: moneySet(priced, 0) }],
  };
}
