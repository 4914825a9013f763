import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportRefund } from '../../src/payments/report-refund.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { orderOf, refundOf, sent, type Units } from '../helpers/shopify-orders.ts';
import { requireAgreement, saleOf } from './only-sale.ts';

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
      await requireAgreement(app, account);
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
      await requireAgreement(app, account);
    },
  );
});
