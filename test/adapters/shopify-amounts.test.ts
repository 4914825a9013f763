import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { orderOf, refundOf } from '../helpers/shopify-orders.ts';
import { bodyOf, bytes, interpreted, paymentIn } from './shopify-bodies.ts';

const order = orderOf([[11, 2, 6_000]]);
const paid = (changes: object) => paymentIn(interpreted(bytes({ ...order, ...changes }), 'orders/paid'));
const factsOf = (body: object, topic: string): readonly Fact[] => {
  const result = interpreted(bytes(body), topic);
  return result.kind === 'facts' ? result.facts : [];
};
const inBoth = (amount: string, currency_code = 'EUR') => ({
  shop_money: { amount, currency_code },
  presentment_money: { amount, currency_code },
});

describe('the amounts of a Shopify order', () => {
  it('contain the tax of its lines where prices include tax, whatever else was taxed', () => {
    const line_items = [{ ...order.line_items[0], tax_lines: [{ price: '4.00' }, { price: '0.44' }] }];
    expect(paid({ taxes_included: true, line_items, total_tax: '9.99' })).toMatchObject({ netMinor: 6_000 - 444 });
  });

  it('leave out shipping that was removed, and contain its tax only where prices include tax', () => {
    const shipping_lines = [
      { price: '7.00', tax_lines: [{ price: '0.70' }], is_removed: true },
      { price: '5.00', discounted_price: '4.00', tax_lines: [{ price: '0.40' }] },
    ];
    expect(paid({ shipping_lines })).toMatchObject({ shippingMinor: 400 });
    expect(paid({ shipping_lines, taxes_included: true })).toMatchObject({ shippingMinor: 360 });
  });

  it('are those of the payment once something was refunded', () => {
    const current = {
      current_total_price: '32.40',
      current_subtotal_price: '30.00',
      current_total_tax: '2.40',
      current_total_duties_set: inBoth('1.00'),
      original_total_duties_set: inBoth('3.00'),
      duties_included: true,
    };
    const edited = { grossMinor: 3_240, netMinor: 2_900, taxMinor: 240 };
    expect(paid(current)).toMatchObject(edited);
    const refunds = [refundOf(2, [[11, 1, 3_000]], { paidBackIn: 'EUR' })];
    expect(paid({ ...current, refunds })).toMatchObject({ grossMinor: 6_980, netMinor: 5_700, taxMinor: 480 });
  });

  it.each([
    [
      { current_total_price: '69.80', current_subtotal_price: '50.00' },
      { grossMinor: 6_980, netMinor: 5_000 },
    ],
    [
      { current_total_price: '64.80', current_subtotal_price: '60.00' },
      { grossMinor: 6_480, netMinor: 6_000 },
    ],
  ])('are the current ones when an edit before the payment changed only one of them: %j', (current, amounts) => {
    expect(paid(current)).toMatchObject(amounts);
  });

  it('are discounted by codes, of which some are listed only with their applications', () => {
    expect(paid({ discount_applications: [{ type: 'discount_code', code: 'MIA10' }] }).discountCodes).toEqual([
      'MIA10',
    ]);
  });

  it("are the current ones in the shopper's currency, too", () => {
    const yen = (amount: string) => ({ ...inBoth('0'), presentment_money: { amount, currency_code: 'JPY' } });
    const sets = { total_price_set: yen('11000'), current_total_price_set: yen('5000') };
    expect(paid(sets).presentment).toEqual({ currency: 'jpy', grossMinor: 11_000 });
    const edited = { ...sets, current_total_price: '32.40', current_subtotal_price: '30.00' };
    expect(paid(edited).presentment).toEqual({ currency: 'jpy', grossMinor: 5_000 });
  });
});

describe('the transactions of a Shopify refund', () => {
  const refund = bodyOf('refunds_create--taxes-included');
  const [transaction] = refund.transactions;
  const refunded = (...changes: object[]) =>
    factsOf({ ...refund, transactions: changes.map((change) => ({ ...transaction, ...change })) }, 'refunds/create');

  it('count only if they are refunds', () => {
    expect(refunded({}, { kind: 'void', amount: '5.00' })).toMatchObject([{ refund: { amountMinor: 5_950 } }]);
    expect(refunded({ kind: 'void' })).toMatchObject([{ kind: 'noted' }]);
  });

  it('of nothing are noted', () => {
    expect(refunded({ amount: '0.00' })).toMatchObject([{ kind: 'noted' }]);
    expect(refunded({}, { amount: '0.00', currency: 'USD' })).toMatchObject([{ currency: 'eur' }]);
  });

  it('were made when Shopify processed the refund', () => {
    const processed = { ...refund, processed_at: '2026-10-19T08:00:00Z' };
    expect(factsOf(processed, 'refunds/create')).toMatchObject([{ occurredAt: Date.UTC(2026, 9, 19, 8) }]);
  });

  it('without a currency are in the only one of the refund, and unknown where it has two', () => {
    const left = bodyOf('refunds_create--currency-left-out');
    const [line] = left.refund_line_items;
    expect(factsOf({ ...left, total_duties_set: null }, 'refunds/create')).toMatchObject([{ currency: 'usd' }]);
    const presentment_money = { amount: '11.00', currency_code: 'EUR' };
    const refund_line_items = [{ ...line, subtotal_set: { ...line.subtotal_set, presentment_money } }];
    expect(interpreted(bytes({ ...left, refund_line_items }), 'refunds/create').kind).toBe('unknown');
  });

  it('that are pending in an updated order move no money', () => {
    const pending = { ...refund, transactions: [{ ...transaction, status: 'pending' }] };
    expect(interpreted(bytes({ ...order, refunds: [pending] }), 'orders/updated').kind).toBe('ignored');
    expect(factsOf({ ...order, refunds: [pending, { ...refund, id: '2' }] }, 'orders/updated')).toHaveLength(1);
  });
});

describe('the goods that a Shopify refund paid back', () => {
  const stated = (name: string, orderName: string, changes: Record<string, unknown>, amount: string) => {
    const refund = { ...bodyOf(`refunds_create--${name}`), ...changes };
    const transactions = [{ ...refund.transactions[0], amount }];
    const [fact] = factsOf({ ...bodyOf(orderName), refunds: [{ ...refund, transactions }] }, 'orders/updated');
    if (fact?.kind !== 'payment.refunded' || !('refundId' in fact.refund)) throw new Error('no refund');
    return fact.refund.commissionableMinor;
  };
  const shipped = (amount: string, currency: string, tax: string) => ({
    subtotal_amount_set: inBoth(amount, currency),
    shipping_line: { discounted_price: amount, tax_lines: [{ price: tax }] },
  });

  it('are never read against what the order says of its prices', () => {
    // what the line would be with its tax, if prices did not include it
    expect(stated('taxes-included', 'orders_paid--taxes-included', {}, '69.00')).toBeUndefined();
    expect(stated('taxes-included', 'orders_paid', {}, '69.00')).toBe(5_950);
  });

  it("are those of an adjustment in the shopper's currency, if that was paid back", () => {
    const both = (dollars: string, yen: string) => ({
      shop_money: { amount: dollars, currency_code: 'USD' },
      presentment_money: { amount: yen, currency_code: 'JPY' },
    });
    const amounts = { amount: '-10.00', amount_set: both('-10.00', '-1500') };
    const taxes = { tax_amount: '-0.80', tax_amount_set: both('-0.80', '-120') };
    const refund = {
      ...bodyOf('refunds_create--goods-without-shipping'),
      refund_line_items: [],
      order_adjustments: [{ kind: 'refund_discrepancy', ...amounts, ...taxes }],
      transactions: [{ kind: 'refund', status: 'success', amount: '1620', currency: 'JPY' }],
      total_duties_set: null,
    };
    expect(factsOf(refund, 'refunds/create')).toMatchObject([
      { refund: { amountMinor: 1_620, commissionableMinor: 1_500 } },
    ]);
  });

  it('of a return that kept a fee are neither its shipping with tax nor its gift cards', () => {
    const returned = { return: { id: 5 } };
    const [line] = bodyOf('refunds_create--goods-without-shipping').refund_line_items;
    const card = { line_item: { id: 9, gift_card: true }, line_item_id: 9, quantity: 1, subtotal: '20.00' };
    const refund_shipping_lines = [shipped('5.00', 'USD', '0.25')];
    const withShipping = { ...returned, refund_shipping_lines };
    expect(stated('goods-without-shipping', 'orders_paid', withShipping, '102.17')).toBe(8_974);
    const withCard = { ...returned, refund_line_items: [line, card] };
    expect(stated('goods-without-shipping', 'orders_paid', withCard, '116.92')).toBe(8_974);
  });

  it('of a return that paid back less than its shipping are not guessed, and the refund still counts', () => {
    const withShipping = { return: { id: 5 }, refund_shipping_lines: [shipped('5.00', 'USD', '0.25')] };
    expect(stated('goods-without-shipping', 'orders_paid', withShipping, '3.00')).toBeUndefined();
  });
});

describe('a Shopify order that is not paid yet', () => {
  const customer = { id: 77, email: null };
  const identified = (changes: object) => {
    const awaited = { ...order, financial_status: 'pending', note_attributes: [], customer, ...changes };
    return factsOf(awaited, 'orders/create').flatMap((fact) => (fact.kind === 'customer.identified' ? [fact] : []));
  };

  it.each([
    ['an id of the caller', { note_attributes: [{ name: 'svcCustomerExternalId', value: 'mia' }] }],
    ['a click', { landing_site: '/?svc_id=clk_1' }],
    ["its customer's address", { customer: { ...customer, email: 'mia@example.com' } }],
    ['its own address', { email: 'mia@example.com' }],
    ['the address to contact', { contact_email: 'mia@example.com' }],
  ])('identifies its customer by %s', (_what, changes) => {
    expect(identified(changes)).toMatchObject([{ customer: { processorCustomerId: 'gid://shopify/Customer/77' } }]);
    expect(identified({ ...changes, customer: null })).toEqual([]);
  });

  it('identifies nobody without any of them', () => {
    expect(identified({})).toEqual([]);
  });

  it('of nothing identifies its customer by a code alone', () => {
    const amounts = { total_price: '0.00', subtotal_price: '0.00', total_tax: '0.00', shipping_lines: [] };
    const free = { ...order, ...amounts, line_items: [], note_attributes: [], customer };
    expect(factsOf({ ...free, discount_codes: [{ code: 'MIA20' }] }, 'orders/paid')).toMatchObject([
      { kind: 'customer.identified', discountCodes: ['MIA20'] },
      { kind: 'noted' },
    ]);
  });
});

describe('what Shopify calls', () => {
  it.each([
    ['paid', 'payment.received'],
    ['partially_refunded', 'payment.received'],
    ['refunded', 'payment.received'],
    ['pending', 'ignored'],
    ['authorized', 'ignored'],
    ['partially_paid', 'ignored'],
    ['voided', 'ignored'],
    ['expired', 'ignored'],
    ['settled', 'unknown'],
  ])('an order that is %s is %s as a paid one', (financial_status, expected) => {
    const result = interpreted(bytes({ ...order, financial_status }), 'orders/paid');
    expect(result.kind === 'facts' ? result.facts[0]?.kind : result.kind).toBe(expected);
  });

  it.each([
    ['needs_response', 'open'],
    ['under_review', 'open'],
    ['accepted', 'lost'],
    ['lost', 'lost'],
    ['won', 'won'],
    ['prevented', 'won'],
    ['charge_refunded', 'won'],
  ])('a dispute that is %s is %s', (status, state) => {
    expect(factsOf({ ...bodyOf('disputes_create'), status }, 'disputes/update')).toMatchObject([{ state }]);
  });

  it.each(['failure', 'error'])('a refund whose transaction is a %s paid nothing back', (status) => {
    const refund = bodyOf('refunds_create--taxes-included');
    const transactions = [{ ...refund.transactions[0], status }];
    expect(factsOf({ ...refund, transactions }, 'refunds/create')).toMatchObject([{ kind: 'noted' }]);
  });

  it.each([
    'orders/fulfilled',
    'orders/partially_fulfilled',
    'orders/link_requested',
    'orders/risk_assessment_changed',
    'orders/shopify_protect_eligibility_changed',
    'order_transactions/create',
  ])('%s moves no money', (topic) => {
    expect(interpreted(bytes(order), topic).kind).toBe('ignored');
  });

  it.each(['orders/delete', 'app/uninstalled', 'subscription_billing_attempts/challenged'])('%s is noted', (topic) => {
    const body = bodyOf('subscription_billing_attempts_failure');
    expect(factsOf(body, topic)).toMatchObject([{ kind: 'noted' }]);
  });
});
