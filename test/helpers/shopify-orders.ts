import { interpreted } from '../adapters/shopify-bodies.ts';
import type { Arrivals } from './arrivals.ts';
import { applyDelivery } from './facts.ts';

const ORDER = '7001';
export const ORDER_ID = `gid://shopify/Order/${ORDER}`;
const AT = '2026-11-01T12:00:00Z';

/** How an order's money is refunded. The shop's currency is the euro; the shopper paid 1.50 dollars for each. */
export interface Money {
  /** The currency that refunds are paid in. */
  paidBackIn: 'EUR' | 'USD';
}

const shop = (cents: number) => (cents / 100).toFixed(2);
const set = (cents: number) => ({
  shop_money: { amount: shop(cents), currency_code: 'EUR' },
  presentment_money: { amount: shop(Math.round(cents * 1.5)), currency_code: 'USD' },
});

/** Units of a line, and what they cost together without tax, in cents. */
export type Units = [lineId: number, quantity: number, netCents: number];

/** An order without discounts, with 8 % tax on its lines and shipping of 5.00. */
export function orderOf(lines: Units[], changes: Record<string, unknown> = {}) {
  const net = lines.reduce((sum, [, , cents]) => sum + cents, 0);
  const tax = net * 0.08;
  return {
    id: ORDER,
    test: false,
    financial_status: 'paid',
    created_at: AT,
    updated_at: AT,
    currency: 'EUR',
    taxes_included: false,
    total_price: shop(net + tax + 500),
    total_price_set: set(net + tax + 500),
    subtotal_price: shop(net),
    total_tax: shop(tax),
    line_items: lines.map(([id, quantity, cents]) => ({
      id,
      quantity,
      current_quantity: quantity,
      tax_lines: [{ price: shop(cents * 0.08) }],
    })),
    shipping_lines: [{ price: '5.00' }],
    note_attributes: [{ name: 'svcCustomerExternalId', value: 'mia' }],
    ...changes,
  };
}

/** A refund of these lines with their tax, and of the shipping when `shippingCents` says so. */
export function refundOf(id: number, lines: Units[], { paidBackIn }: Money, shippingCents = 0) {
  const cents = lines.reduce((sum, [, , net]) => sum + net * 1.08, shippingCents);
  const money = set(Math.round(cents));
  const { amount } = paidBackIn === 'EUR' ? money.shop_money : money.presentment_money;
  return {
    id,
    order_id: ORDER,
    created_at: `2026-11-0${id}T12:00:00Z`,
    transactions: [{ kind: 'refund', status: 'success', amount, currency: paidBackIn }],
    refund_line_items: lines.map(([lineId, quantity, net]) => ({
      line_item_id: lineId,
      quantity,
      subtotal_set: set(net),
      total_tax_set: set(Math.round(net * 0.08)),
    })),
    refund_shipping_lines:
      shippingCents === 0 ? [] : [{ subtotal_amount_set: set(shippingCents), tax_amount_set: set(0) }],
    order_adjustments: [],
  };
}

export function editOf(additions: [lineId: number, delta: number][], removals: [lineId: number, delta: number][] = []) {
  const units = (list: [number, number][]) => list.map(([id, delta]) => ({ id, delta }));
  return {
    order_edit: { id: 9, order_id: ORDER, line_items: { additions: units(additions), removals: units(removals) } },
  };
}

/** What Shopify sends under a topic, without the HTTP request. */
export function sent(topic: string, body: Record<string, unknown>): Arrivals[string] {
  const interpretation = interpreted(Buffer.from(JSON.stringify(body)), topic);
  return ({ service }, { accountId }) => applyDelivery('shopify', service, accountId, interpretation);
}
