import { describe, expect, it } from 'vitest';
import { LINES_MAX } from '../../src/core/fact-limits.ts';
import { orderOf, refundOf } from '../helpers/shopify-orders.ts';
import { bodyOf, bytes, interpreted, paymentIn } from './shopify-bodies.ts';

const EUROS = { paidBackIn: 'EUR' } as const;
const paid = (body: unknown) => paymentIn(interpreted(bytes(body), 'orders/paid'));
const refund = (body: unknown, topic = 'refunds/create') => {
  const result = interpreted(bytes(body), topic);
  const [fact] = result.kind === 'facts' ? result.facts : [];
  if (fact?.kind !== 'payment.refunded' || !('refundId' in fact.refund)) throw new Error(JSON.stringify(result));
  return fact.refund;
};

describe('the lines of a paid Shopify order', () => {
  const order = orderOf([
    [11, 2, 6_000],
    [12, 1, 2_000],
  ]);

  it('are kept by id with the units that were paid for, and when Shopify wrote the order', () => {
    expect(paid(order)).toMatchObject({ lines: { 11: 2, 12: 1 }, statedAt: Date.UTC(2026, 10, 1, 12) });
    expect(paid({ ...order, updated_at: 'soon' })).not.toHaveProperty('statedAt');
  });

  it('are added up where an order lists one of them twice', () => {
    const twice = orderOf([
      [11, 2, 6_000],
      [12, 1, 2_000],
      [11, 3, 9_000],
    ]);
    expect(paid(twice)).toMatchObject({ netMinor: 17_000, lines: { 11: 5, 12: 1 } });
  });

  it('count their current units when the order was edited before its payment, and all of them when it was refunded', () => {
    const [kit, tray] = order.line_items;
    const lines = [
      { ...kit, current_quantity: 1 },
      { ...tray, current_quantity: 0 },
    ];
    const edited = { ...order, line_items: lines, current_total_price: '37.40', current_subtotal_price: '30.00' };
    expect(paid(edited)).toMatchObject({ netMinor: 3_000, lines: { 11: 1 } });
    const refunds = [refundOf(2, [[12, 1, 2_000]], EUROS)];
    expect(paid({ ...edited, refunds })).toMatchObject({ netMinor: 8_000, lines: { 11: 2, 12: 1 } });
  });

  it('contain no tax where only the shipping lists any', () => {
    const untaxed = order.line_items.map((line) => ({ ...line, tax_lines: [] }));
    const shipping_lines = [{ price: '5.00', tax_lines: [{ price: '0.80' }] }];
    const included = { ...order, taxes_included: true, line_items: untaxed, shipping_lines, total_tax: '0.80' };
    expect(paid(included)).toMatchObject({ netMinor: 8_000 });
  });

  it('count without gift cards, which earn when they pay for an order', () => {
    const [kit, tray] = order.line_items;
    const card = { ...tray, price: '10.00', quantity: 2, gift_card: true, tax_lines: [] };
    const discount_allocations = [{ amount: '1.50' }, { amount: '0.50' }];
    for (const [change, netMinor] of [
      [{}, 6_000],
      [{ discount_allocations }, 6_200],
      [{ gift_card: false }, 8_000],
      [{ gift_card: 'x' }, 8_000],
    ] as const) {
      expect(paid({ ...order, line_items: [kit, { ...card, ...change }] })).toMatchObject({ netMinor });
    }
    const edited = { current_total_price: '69.80', current_subtotal_price: '70.00' };
    expect(paid({ ...order, ...edited, line_items: [kit, { ...card, current_quantity: 1 }] }).netMinor).toBe(6_000);
    const unreadable = { ...order, line_items: [kit, { ...card, price: null }] };
    expect(interpreted(bytes(unreadable), 'orders/paid').kind).toBe('unknown');
    const [line] = refundOf(2, [[12, 1, 1_000]], EUROS).refund_line_items;
    const returned = { ...refundOf(2, [[12, 1, 1_000]], EUROS), refund_line_items: [{ ...line, line_item: card }] };
    const lines = [{ lineId: '12', quantity: 1, amountMinor: 1_080, commissionableMinor: 0 }];
    expect(refund(returned)).toMatchObject({ amountMinor: 1_080, commissionableMinor: 0, lines });
  });

  it('count without duties in their prices', () => {
    const duties = (amount: string) => ({
      shop_money: { amount, currency_code: 'EUR' },
      presentment_money: { amount, currency_code: 'EUR' },
    });
    const included = { ...order, duties_included: true, original_total_duties_set: duties('7.00') };
    expect(paid(included).netMinor).toBe(7_300);
    expect(paid({ ...included, duties_included: false }).netMinor).toBe(8_000);
    expect(paid({ ...included, original_total_duties_set: {} }).netMinor).toBe(8_000);
    const edited = { current_total_price: '80.00', current_subtotal_price: '70.00' };
    expect(paid({ ...included, ...edited, current_total_duties_set: duties('6.00') }).netMinor).toBe(6_400);
  });

  it('are unknown when one cannot be read or there are too many, but the order still counts', () => {
    const [line] = order.line_items;
    for (const odd of [
      { id: null },
      { id: 'x' },
      { id: -1 },
      { quantity: null },
      { quantity: 1.5 },
      { quantity: {} },
    ]) {
      expect(paid({ ...order, line_items: [line, { ...line, ...odd }] })).not.toHaveProperty('lines');
    }
    const many = Array.from({ length: LINES_MAX + 1 }, (_, index) => ({ ...line, id: index + 1 }));
    expect(paid({ ...order, line_items: many })).not.toHaveProperty('lines');
    expect(Object.keys(paid({ ...order, line_items: many.slice(1) }).lines ?? {})).toHaveLength(LINES_MAX);
    expect(paid({ ...order, line_items: [] })).not.toHaveProperty('lines');
  });
});

describe('the lines of a Shopify refund', () => {
  const both = refundOf(
    2,
    [
      [11, 2, 6_000],
      [13, 1, 3_000],
    ],
    EUROS,
    500,
  );

  it('are stated with tax and without', () => {
    expect(refund(both)).toMatchObject({
      amountMinor: 10_220,
      commissionableMinor: 9_000,
      lines: [
        { lineId: '11', quantity: 2, amountMinor: 6_480, commissionableMinor: 6_000 },
        { lineId: '13', quantity: 1, amountMinor: 3_240, commissionableMinor: 3_000 },
        { lineId: null, quantity: 1, amountMinor: 500, commissionableMinor: 0 },
      ],
    });
    expect(refund(bodyOf('refunds_create--taxes-included'))).toMatchObject({
      lines: [{ amountMinor: 5_950, commissionableMinor: 5_000 }],
    });
  });

  it('are in the currency of the refund', () => {
    const [kit] = refund(refundOf(2, [[11, 2, 6_000]], { paidBackIn: 'USD' })).lines ?? [];
    expect(kit).toEqual({ lineId: '11', quantity: 2, amountMinor: 9_720, commissionableMinor: 9_000 });
  });

  it('are omitted when one cannot be read, but the refund still counts', () => {
    const [line] = both.refund_line_items;
    for (const odd of [{ line_item_id: null }, { line_item_id: 'x' }, { quantity: 0 }, { quantity: 'two' }]) {
      const read = refund({ ...both, refund_line_items: [{ ...line, ...odd }, both.refund_line_items[1]] });
      expect(read).toMatchObject({ amountMinor: 10_220, commissionableMinor: 9_000 });
      expect(read).not.toHaveProperty('lines');
    }
  });
});

describe('the adjustments of a Shopify refund', () => {
  const adjustment = (kind: string, amount: string) => ({ kind, amount, tax_amount: '0.00' });
  const kit = refundOf(2, [[11, 2, 6_000]], EUROS, 500);

  it('that stand for a pending repayment are ignored once it was paid', () => {
    const pending = { ...kit, order_adjustments: [adjustment('refund_discrepancy', '69.80')] };
    expect(refund(pending)).toMatchObject({ amountMinor: 6_980, commissionableMinor: 6_000 });
    const order = orderOf([[11, 2, 6_000]], { refunds: [pending] });
    expect(refund(order, 'orders/updated')).toMatchObject({ amountMinor: 6_980, commissionableMinor: 6_000 });
  });

  it('that repeat the shipping lines are ignored', () => {
    const twice = { ...kit, order_adjustments: [adjustment('shipping_refund', '-5.00')] };
    expect(refund(twice)).toMatchObject({
      commissionableMinor: 6_000,
      lines: [{ amountMinor: 6_480 }, { amountMinor: 500 }],
    });
  });
});
