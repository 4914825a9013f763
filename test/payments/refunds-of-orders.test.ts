import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportRefund } from '../../src/payments/report-refund.ts';
import { saleInput } from '../../src/payments/resources/sale-schemas.ts';
import { trackSale } from '../../src/payments/sale.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { ORDER_ID, orderOf, refundOf, sent, type Units } from '../helpers/shopify-orders.ts';
import { saleOf } from './only-sale.ts';

describe.each(engines)('orders of Shopify that were refunded, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  afterAll(() => app.close());

  it.each([
    ['the backend', [[1, 1, 3_000]]],
    ['the processor', [[1, 1, 3_000]]],
    [
      'the backend',
      [
        [1, 1, 3_000],
        [3, 1, 3_000],
      ],
    ],
    [
      'the processor',
      [
        [1, 1, 3_000],
        [3, 1, 3_000],
      ],
    ],
  ] as [string, Units[]][])(
    "count a refund once, as the processor reports it in the shopper's currency, when %s is first: %j",
    async (first, lines) => {
      const account = await createReferredAccount(app.service);
      const tell = (topic: string, body: Record<string, unknown>) => sent(topic, body)?.(app, account);
      await lead?.(app, account);
      await tell('orders/paid', orderOf([[1, 2, 6_000]]));
      const { id } = await saleOf(app, account);
      const byBackend = () =>
        reportRefund(app.service, account.accountId, id, {
          refundId: 'gid://shopify/Refund/2',
          amount: 3_740,
          currency: null,
        });
      const byProcessor = () => tell('refunds/create', refundOf(2, lines, { paidBackIn: 'USD' }, 500));
      if (first === 'the backend') await byBackend();
      await byProcessor();
      await expect(byBackend()).rejects.toMatchObject({ code: 'CONFLICT' });
      const amount = lines.length === 1 ? 5_610 : 10_470;
      expect(await saleOf(app, account)).toMatchObject({
        refundedAmount: 3_740,
        reversedCommissionAmount: 600,
        refunds: [{ amount, currency: 'usd' }],
      });
      await byProcessor();
      expect(await saleOf(app, account)).toMatchObject({ refundedAmount: 3_740, reversedCommissionAmount: 600 });
      await requireAgreement(app.service, account.accountId);
    },
  );

  it.each([
    [['refunds/create'], 'with a discrepancy'],
    [['orders/updated'], 'with a discrepancy'],
    [['refunds/create', 'orders/updated'], 'with a discrepancy'],
    [['orders/updated', 'refunds/create'], 'with a discrepancy'],
    [['refunds/create'], 'without it'],
    [['orders/updated'], 'without it'],
    [['refunds/create', 'orders/updated'], 'without it'],
    [['orders/updated', 'refunds/create'], 'without it'],
  ])(
    'are refunded by %j when everything paid was refunded in one refund with an unpaid line, %s',
    async (topics, has) => {
      const account = await createReferredAccount(app.service);
      const tell = (topic: string, body: Record<string, unknown>) => sent(topic, body)?.(app, account);
      const both: Units[] = [
        [1, 1, 3_000],
        [3, 1, 3_000],
      ];
      const discrepancy = { kind: 'refund_discrepancy', amount: '32.40', tax_amount: '0.00' };
      const refund = {
        ...refundOf(2, both, { paidBackIn: 'EUR' }, 500),
        transactions: [{ kind: 'refund', status: 'success', amount: '37.40', currency: 'EUR' }],
        order_adjustments: has === 'without it' ? [] : [discrepancy],
      };
      await lead?.(app, account);
      await tell('orders/paid', orderOf([[1, 1, 3_000]]));
      for (const topic of topics) {
        const updated = orderOf(both, { refunds: [refund], financial_status: 'refunded' });
        await tell(topic, topic === 'refunds/create' ? refund : updated);
        expect(await saleOf(app, account)).toMatchObject({
          refundedAmount: 3_740,
          reversedCommissionAmount: 600,
          status: 'refunded',
        });
      }
      await requireAgreement(app.service, account.accountId);
    },
  );

  it.each([
    ['orders/paid', 'refunds/create'],
    ['refunds/create', 'orders/paid'],
  ])(
    'count what was paid after an item was removed, and lose all of it by its refund: %s, then %s',
    async (...topics) => {
      const account = await createReferredAccount(app.service);
      const kept: Units[] = [[1, 1, 3_000]];
      const { line_items, ...order } = orderOf([...kept, [3, 1, 3_000]]);
      const { total_price, subtotal_price, total_tax } = orderOf(kept);
      const bodies: Record<string, Record<string, unknown>> = {
        'orders/paid': {
          ...order,
          line_items: line_items.map((line) => ({ ...line, current_quantity: line.id === 3 ? 0 : 1 })),
          current_total_price: total_price,
          current_subtotal_price: subtotal_price,
          current_total_tax: total_tax,
          refunds: [{ ...refundOf(1, [[3, 1, 3_000]], { paidBackIn: 'EUR' }), transactions: [] }],
        },
        'refunds/create': refundOf(2, kept, { paidBackIn: 'EUR' }, 500),
      };
      await lead?.(app, account);
      for (const topic of topics) await sent(topic, bodies[topic] ?? {})?.(app, account);
      expect(await saleOf(app, account)).toMatchObject({
        amount: 3_000,
        grossAmount: 3_740,
        commissionAmount: 600,
        refundedAmount: 3_740,
        reversedCommissionAmount: 600,
        status: 'refunded',
      });
      await requireAgreement(app.service, account.accountId);
    },
  );

  it.each([
    ['Shopify', ['backend', 'processor', 'backend']],
    ['Shopify', ['processor', 'backend', 'processor']],
    ['the backend', ['backend', 'processor', 'backend']],
    ['the backend', ['processor', 'backend', 'processor']],
  ])('count a refund in two currencies once, where %s reported the sale: %j', async (seller, reporters) => {
    const account = await createReferredAccount(app.service);
    const { accountId, clickId } = account;
    const tell = (topic: string, body: Record<string, unknown>) => sent(topic, body)?.(app, account);
    const sale = { clickId, customerExternalId: 'mia', amount: 6_000, currency: 'eur', invoiceId: ORDER_ID };
    if (seller === 'Shopify') await lead?.(app, account);
    else await trackSale(app.service, accountId, parseInput(saleInput, sale));
    await tell('orders/paid', orderOf([[1, 2, 6_000]]));
    const { id } = await saleOf(app, account);
    const transactions = [
      { kind: 'refund', status: 'success', amount: '10.00', currency: 'EUR' },
      { kind: 'refund', status: 'success', amount: '15.00', currency: 'USD' },
    ];
    const reports: Record<string, () => Promise<unknown> | undefined> = {
      backend: () =>
        reportRefund(app.service, accountId, id, { refundId: 'gid://shopify/Refund/4', amount: 2_000, currency: null }),
      processor: () => tell('refunds/create', { ...refundOf(4, [], { paidBackIn: 'EUR' }), transactions }),
    };
    for (const reporter of reporters) {
      await reports[reporter]?.();
      expect(await saleOf(app, account)).toMatchObject({ refundedAmount: 2_000, reversedCommissionAmount: 344 });
    }
    expect((await saleOf(app, account)).refunds).toMatchObject([
      { amount: 1_000, currency: 'eur' },
      { amount: 1_500, currency: 'usd' },
    ]);
    await requireAgreement(app.service, account.accountId);
  });

  /** Of an order of 60.00, with 4.80 tax and shipping of 5.00, that earned 12.00. */
  const money = (id: number, amount: string) => ({
    ...refundOf(id, [], { paidBackIn: 'EUR' }),
    transactions: [{ kind: 'refund', status: 'success', amount, currency: 'EUR' }],
    order_adjustments: [{ kind: 'refund_discrepancy', amount: `-${amount}`, tax_amount: '0.00' }],
  });
  const removal = { ...refundOf(1, [[1, 1, 3_000]], { paidBackIn: 'EUR' }), transactions: [] };
  const partly = {
    ...refundOf(2, [[1, 1, 3_000]], { paidBackIn: 'EUR' }),
    transactions: [{ kind: 'refund', status: 'success', amount: '16.20', currency: 'EUR' }],
  };

  it.each([
    ['half of the money', [money(2, '34.90')], 600],
    ['all of the money but shipping', [money(2, '64.80')], 1_114],
    ['all of the money', [money(2, '69.80')], 1_200],
    ['money for an item that an edit had removed', [removal, money(2, '32.40')], 557],
    ['half the price of an item', [partly], 279],
  ])('lose a share when nothing says what part of it was tax: %s', async (_what, refunds, reversedCommissionAmount) => {
    const created = refunds.map((refund): [string, Record<string, unknown>] => ['refunds/create', refund]);
    const updated: [string, Record<string, unknown>] = ['orders/updated', orderOf([[1, 2, 6_000]], { refunds })];
    for (const told of [created, [updated], [...created, updated], [updated, ...created]]) {
      const account = await createReferredAccount(app.service);
      await lead?.(app, account);
      await sent('orders/paid', orderOf([[1, 2, 6_000]]))?.(app, account);
      for (const [topic, body] of told) await sent(topic, body)?.(app, account);
      expect(await saleOf(app, account)).toMatchObject({ commissionAmount: 1_200, reversedCommissionAmount });
      await requireAgreement(app.service, account.accountId);
    }
  });

  it('lose what a refund pays back in the end when one of its payments failed at first', async () => {
    const pay = (amount: string, status = 'success') => ({ kind: 'refund', status, amount, currency: 'EUR' });
    const whole = refundOf(2, [[1, 2, 6_000]], { paidBackIn: 'EUR' });
    const created = { ...whole, transactions: [pay('32.40'), pay('32.40', 'failure')] };
    const repeated = { ...whole, transactions: [...created.transactions, pay('32.40')] };
    const parts: [string, Record<string, unknown>][] = [
      ['refunds/create', created],
      ['orders/updated', orderOf([[1, 2, 6_000]], { refunds: [repeated] })],
    ];
    for (const told of [parts, parts.toReversed()]) {
      const account = await createReferredAccount(app.service);
      await lead?.(app, account);
      await sent('orders/paid', orderOf([[1, 2, 6_000]]))?.(app, account);
      for (const [topic, body] of told) await sent(topic, body)?.(app, account);
      expect(await saleOf(app, account)).toMatchObject({ refundedAmount: 6_480, reversedCommissionAmount: 1_200 });
      await requireAgreement(app.service, account.accountId);
    }
  });

  it('lose nothing when a tip is refunded, which earned nothing', async () => {
    const account = await createReferredAccount(app.service);
    const tell = (topic: string, body: Record<string, unknown>) => sent(topic, body)?.(app, account);
    const [line] = refundOf(2, [[9, 1, 1_000]], { paidBackIn: 'EUR' }).refund_line_items;
    const tip = { ...line, total_tax_set: null, line_item: { id: 9, tip_payment_gateway: 'shopify_payments' } };
    const transactions = [{ kind: 'refund', status: 'success', amount: '10.00', currency: 'EUR' }];
    await lead?.(app, account);
    await tell('orders/paid', orderOf([[1, 2, 6_000]], { total_price: '79.80', total_tip_received: '10.00' }));
    await tell('refunds/create', { ...refundOf(2, [], { paidBackIn: 'EUR' }), refund_line_items: [tip], transactions });
    expect(await saleOf(app, account)).toMatchObject({ refundedAmount: 1_000, reversedCommissionAmount: 0 });
    await tell('refunds/create', refundOf(3, [[1, 2, 6_000]], { paidBackIn: 'EUR' }));
    expect(await saleOf(app, account)).toMatchObject({ refundedAmount: 7_480, reversedCommissionAmount: 1_200 });
    await requireAgreement(app.service, account.accountId);
  });
});
