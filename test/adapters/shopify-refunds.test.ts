import { describe, expect, it } from 'vitest';
import { bodyOf, bytes, interpreted, paymentIn } from './shopify-bodies.ts';

const CURRENCIES: Record<string, string> = { 'goods-without-shipping': 'USD', 'taxes-included': 'EUR' };

describe('the goods that a Shopify refund paid back', () => {
  const part = (name: string, change: (refund: Record<string, unknown>) => void = () => {}, order?: object) => {
    const body = bodyOf(`refunds_create--${name}`);
    change(body);
    const [told, topic] = order ? [{ ...order, refunds: [body] }, 'orders/updated'] : [body, 'refunds/create'];
    const result = interpreted(bytes(told), topic);
    const [fact] = result.kind === 'facts' ? result.facts : [];
    if (fact?.kind !== 'payment.refunded' || !('refundId' in fact.refund)) throw new Error(JSON.stringify(result));
    return fact.refund.commissionableMinor;
  };

  it.each([
    ['goods-without-shipping', 9900],
    ['shipping-alone', 0],
    ['shipping-as-adjustment', 0],
    ['money-without-lines', undefined],
    ['less-than-its-lines', 8900],
    ['taxes-included', 5000],
    ['the-rest', undefined],
  ])('%s: %s', (name, expected) => {
    expect(part(name)).toBe(expected);
  });

  it('is not guessed when its parts add up neither with nor without tax, and malformed parts never lose the refund', () => {
    const double = (refund: Record<string, unknown>) => {
      refund.total_duties_set = {
        shop_money: { amount: '3.00', currency_code: 'EUR' },
        presentment_money: { amount: '3.00', currency_code: 'EUR' },
      };
    };
    expect(part('taxes-included', double)).toBeUndefined();
    for (const odd of [7, 'x', [null], [{ subtotal: 'x' }], [{ subtotal_set: {} }]]) {
      expect(part('taxes-included', (refund) => Object.assign(refund, { refund_line_items: odd }))).toBeUndefined();
    }
    for (const odd of [7, {}, { shop_money: { amount: '3.00', currency_code: 'EUR' } }]) {
      expect(part('taxes-included', (refund) => Object.assign(refund, { total_duties_set: odd }))).toBe(5000);
    }
  });

  it('is not guessed either when the order contains the refund and says whether prices include tax', () => {
    const refund = bodyOf('refunds_create--taxes-included');
    const taken = (amount: string) => {
      refund.transactions[0].amount = amount;
      const order = { ...bodyOf('orders_paid--taxes-included'), refunds: [refund] };
      const result = interpreted(bytes(order), 'orders/updated');
      if (result.kind !== 'facts') throw new Error(JSON.stringify(result));
      return result.facts;
    };
    expect(taken('59.50')).toMatchObject([{ refund: { amountMinor: 5950, commissionableMinor: 5000 } }]);
    expect(taken('50.00')).toMatchObject([{ refund: { amountMinor: 5000 } }]);
    expect(taken('50.00')).not.toMatchObject([{ refund: { commissionableMinor: expect.anything() } }]);
  });

  it.each([
    ['without tax', '30.00', '0.00', 'goods-without-shipping', '136.92', 9900 + 2778],
    ['with tax', '30.00', '2.40', 'goods-without-shipping', '139.32', 12_900],
    ['in prices that include tax', '30.00', '0.00', 'taxes-included', '89.50', 5000 + 2521],
  ])('counts money beyond its lines, %s, without the tax of the lines if it names none', (...story) => {
    const [, amount, tax, name, paidBack, expected] = story;
    const beyond = { kind: 'refund_discrepancy', amount: `-${amount}`, tax_amount: tax === '0.00' ? tax : `-${tax}` };
    const change = (refund: Record<string, unknown>) => {
      refund.order_adjustments = [beyond];
      refund.transactions = [{ kind: 'refund', status: 'success', amount: paidBack, currency: CURRENCIES[name] }];
    };
    expect(part(name, change)).toBe(expected);
  });

  const paying = (amount: string, changes: Record<string, unknown>) => (refund: Record<string, unknown>) =>
    Object.assign(refund, changes, { transactions: [{ kind: 'refund', status: 'success', amount, currency: 'USD' }] });

  it.each([
    ['beside goods', 'goods-without-shipping', '112.17', '-5.00', '-0.25', 9900],
    ['in prices that include tax', 'taxes-included', '64.40', '-4.12', '-0.78', 5000],
    ['in prices that include tax, also in its amount', 'taxes-included', '64.40', '-4.90', '-0.78', 5000],
  ])('are not shipping that is listed twice, only once with its tax, %s', (...story) => {
    const [, name, paidBack, amount, tax_amount, expected] = story;
    const change = (refund: Record<string, unknown>) => {
      const money = { amount: amount.slice(1), currency_code: CURRENCIES[name] };
      refund.refund_shipping_lines = [{ subtotal_amount_set: { shop_money: money, presentment_money: money } }];
      refund.order_adjustments = [{ kind: 'shipping_refund', amount, tax_amount }];
      refund.transactions = [{ kind: 'refund', status: 'success', amount: paidBack, currency: CURRENCIES[name] }];
    };
    expect(part(name, change)).toBe(expected);
  });

  it.each([
    ['5.00', '5.25', 0],
    ['10.00', '10.50', 0],
    ['5.00', '5.27', undefined],
    // in prices that include tax, the line is 9.50 without it
    ['9.50', '10.00', 0],
    ['4.75', '5.00', 0],
    ['10.00', '10.00', 0],
  ])('are not shipping of %s whose tax only its line in the order states', (shipped, paidBack, expected) => {
    const money = { amount: shipped, currency_code: 'USD' };
    const shipping_line = { discounted_price: '10.00', tax_lines: [{ price: '0.30' }, { price: '0.20' }] };
    const subtotal_amount_set = { shop_money: money, presentment_money: money };
    const listed = { order_adjustments: [], refund_shipping_lines: [{ shipping_line, subtotal_amount_set }] };
    expect(part('shipping-alone', paying(paidBack, listed))).toBe(expected);
  });

  it('are not its tips', () => {
    const [line] = bodyOf('refunds_create--goods-without-shipping').refund_line_items;
    const line_item = { id: 9, tip_payment_gateway: null };
    const tip = { line_item, line_item_id: 9, quantity: 1, subtotal: '20.00', total_tax: '0.00' };
    const name = 'goods-without-shipping';
    expect(part(name, paying('20.00', { refund_line_items: [tip] }))).toBe(0);
    expect(part(name, paying('126.92', { refund_line_items: [line, tip] }))).toBe(9900);
  });

  it.each(['total_duties_set', 'total_additional_fees_set'])('are not its %s', (member) => {
    const money = { amount: '12.00', currency_code: 'USD' };
    const charges = { [member]: { shop_money: money, presentment_money: money } };
    const alone = { ...charges, refund_line_items: [] };
    expect(part('goods-without-shipping', paying('12.00', alone))).toBe(0);
    expect(part('goods-without-shipping', paying('13.00', alone))).toBeUndefined();
    expect(part('goods-without-shipping', paying('118.92', charges))).toBe(9900);
  });

  it.each([
    ['a fee', '96.92', {}, 8974],
    ['a fee, after it was pending', '96.92', { order_adjustments: [{ amount: '96.92', tax_amount: '0.00' }] }, 8974],
    ['nearly everything', '0.01', {}, 1],
    ['nothing', '106.92', {}, 9900],
    ['less than nothing', '106.93', {}, undefined],
  ])('are what a return paid back of its lines when it kept %s', (_, amount, changes, expected) => {
    const returned = paying(amount, { ...changes, return: { id: 5 } });
    expect(part('goods-without-shipping', returned, bodyOf('orders_paid'))).toBe(expected);
  });

  it('of a return that kept a fee are known without its order only if they have no tax', () => {
    const returned = paying('96.92', { return: { id: 5 } });
    expect(part('goods-without-shipping', returned)).toBeUndefined();
    const untaxed = { refund_line_items: [{ line_item_id: 9, quantity: 1, subtotal: '99.00' }], return: { id: 5 } };
    expect(part('goods-without-shipping', paying('89.00', untaxed))).toBe(8900);
  });

  it.each(['4.12', '4.90'])('of a return that kept a fee are not its shipping of %s', (shipped) => {
    const money = { amount: shipped, currency_code: 'EUR' };
    const shipping_line = { discounted_price: '4.90', tax_lines: [{ price: '0.78' }] };
    const subtotal_amount_set = { shop_money: money, presentment_money: money };
    const change = (refund: Record<string, unknown>) => {
      refund.refund_shipping_lines = [{ shipping_line, subtotal_amount_set }];
      refund.transactions = [{ kind: 'refund', status: 'success', amount: '54.40', currency: 'EUR' }];
      refund.return = { id: 5 };
    };
    expect(part('taxes-included', change, bodyOf('orders_paid--taxes-included'))).toBe(4160);
  });

  it("in the shopper's currency is counted in that currency", () => {
    const refund = bodyOf('refunds_create--goods-without-shipping');
    const yen = {
      shop_money: { amount: '99.00', currency_code: 'USD' },
      presentment_money: { amount: '14800', currency_code: 'JPY' },
    };
    const tax = {
      shop_money: { amount: '7.92', currency_code: 'USD' },
      presentment_money: { amount: '1184', currency_code: 'JPY' },
    };
    Object.assign(refund.refund_line_items[0], { subtotal_set: yen, total_tax_set: tax });
    Object.assign(refund.transactions[0], { amount: '15984', currency: 'JPY' });
    refund.total_duties_set = null;
    expect(interpreted(bytes(refund), 'refunds/create')).toMatchObject({
      facts: [{ currency: 'jpy', refund: { amountMinor: 15_984, commissionableMinor: 14_800 } }],
    });
  });
});

describe('a Shopify order that was edited', () => {
  const edited = bodyOf('orders_paid--edited-before-payment');

  it('before its payment counts with its current totals', () => {
    expect(paymentIn(interpreted(bytes(edited), 'orders/paid'))).toMatchObject({ grossMinor: 5817, netMinor: 4900 });
    const included = { ...edited, taxes_included: true };
    expect(paymentIn(interpreted(bytes(included), 'orders/paid'))).toMatchObject({ netMinor: 4900 - 417 });
  });

  it('and refunded counts with what it cost, because the refunds are counted separately', () => {
    const refunds = [bodyOf('refunds_create')];
    expect(paymentIn(interpreted(bytes({ ...edited, refunds }), 'orders/paid'))).toMatchObject({ grossMinor: 11_217 });
  });

  it.each([
    [[], 5_817],
    [[{ kind: 'void', status: 'success', amount: '54.00' }], 5_817],
    // money can only go back after the payment, whether or not it has arrived
    [[{ kind: 'refund', status: 'pending', amount: '54.00' }], 11_217],
    [[{ kind: 'refund', status: 'failure', amount: '54.00' }], 11_217],
  ])('lists what was removed before its payment as a refund that paid nothing back: %j', (transactions, grossMinor) => {
    const refunds = [{ ...bodyOf('refunds_create'), transactions }];
    expect(paymentIn(interpreted(bytes({ ...edited, refunds }), 'orders/paid'))).toMatchObject({ grossMinor });
  });
});

describe('a Shopify topic without money', () => {
  it.each([
    'checkouts/create',
    'draft_orders/update',
    'returns/approve',
    'tender_transactions/create',
    'customers/update',
    'customer.tags_added',
    'shipping_addresses/update',
  ])('%s is ignored, and a test order is ignored because it is a test', (topic) => {
    const body = bytes({ id: 7 });
    expect(interpreted(body, topic)).toMatchObject({ kind: 'ignored', reason: expect.stringContaining(topic) });
    expect(interpreted(bytes({ id: 7, test: true }), topic)).toMatchObject({ reason: expect.stringContaining('test') });
    expect(interpreted(bytes({ id: 7, test: true }), 'planets/aligned')).toMatchObject({ kind: 'ignored' });
  });

  it.each(['create', 'update', 'activate', 'pause', 'fail', 'cancel', 'expire'])(
    'subscription_contracts/%s is noted',
    (change) => {
      expect(interpreted(bytes({ id: 7 }), `subscription_contracts/${change}`)).toMatchObject({
        facts: [{ kind: 'noted', what: expect.stringMatching(/^a subscription/) }],
      });
    },
  );

  it('customers/merge is noted, and unknown with an undocumented status', () => {
    const merge = bodyOf('customers_merge');
    expect(interpreted(bytes(merge), 'customers/merge')).toMatchObject({
      facts: [{ kind: 'noted', what: expect.stringContaining('was merged into') }],
    });
    expect(interpreted(bytes({ ...merge, status: 'undone' }), 'customers/merge').kind).toBe('unknown');
  });
});

describe('an amount beyond the limit', () => {
  it('makes the order or the refund unknown', () => {
    const order = { ...bodyOf('orders_paid'), total_price: '10000000000.01' };
    expect(interpreted(bytes(order), 'orders/paid')).toMatchObject({ reason: expect.stringContaining('gross amount') });
    const refund = bodyOf('refunds_create');
    refund.transactions[0].amount = '10000000000.01';
    expect(interpreted(bytes(refund), 'refunds/create')).toMatchObject({ kind: 'unknown' });
  });
});
