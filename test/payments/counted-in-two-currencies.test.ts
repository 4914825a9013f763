import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentReceived } from '../../src/core/facts.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { type AppOfMany, createAppOfMany } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf } from '../helpers/earning.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { TwoSales } from '../helpers/two-sales.ts';

const PAID_AT = Date.UTC(2026, 10, 1);

describe.each(engines)(
  'a payment that was counted twice, perhaps once in the currency of the shopper, on %s',
  (engine) => {
    let shared: AppOfMany;
    let now = PAID_AT;
    let payment: TwoSales;
    beforeAll(async () => {
      shared = await createAppOfMany(engine, { service: { clock: () => now } });
    });
    afterAll(() => shared.close());
    beforeEach(async () => {
      now = PAID_AT;
      payment = await TwoSales.create(await shared.addApp());
    });
    afterEach(() => requireAgreement(payment.app.service, payment.app.accountId));

    const payOutAfterHold = () => {
      now += 40 * DAY_MS;
      return payment.payOut();
    };

    /** 108.00 euros, of which 90.00 are the goods; the shopper saw 120.00 dollars. */
    const order = (name: 'first' | 'second', changes: Partial<PaymentReceived> = {}) =>
      payment.pay(name, {
        grossMinor: 10_800,
        netMinor: 9_000,
        taxMinor: 1_800,
        currency: 'eur',
        presentment: { currency: 'usd', grossMinor: 12_000 },
        ...changes,
      });

    it.each([
      ['the backend in that of the shop', 'eur', 9_000, { grossAmount: 10_800, refundedAmount: 8_100 }, 1_350],
      ['the backend in that of the shopper', 'usd', 10_000, { grossAmount: 12_000, refundedAmount: 9_000 }, 1_500],
    ] as const)('and first by %s, has the total in its own', async (_who, currency, amount, total, reversed) => {
      await payment.report('first', amount, currency);
      await order('second');
      await payment.join();
      await payment.refund(5_400, 'eur');
      await payment.refund(3_000, 'usd');
      const commissionAmount = amount / 5;
      expect(await payment.remaining()).toMatchObject({
        amount,
        currency,
        commissionAmount,
        reversedCommissionAmount: reversed,
        ...total,
      });
      expect(await payOutAfterHold()).toEqual([`${commissionAmount - reversed} ${currency}`]);
      expect(await payment.entries()).toEqual([
        `commission ${commissionAmount}`,
        'commission 1800',
        'reversal -1800',
        `reversal -${(commissionAmount * 2) / 4}`,
        `reversal -${commissionAmount / 4}`,
      ]);
    });

    it('and first by the backend in a third, keeps its own total', async () => {
      await payment.report('first', 8_000, 'gbp');
      await order('second');
      await payment.join();
      await payment.refund(4_000, 'gbp');
      expect(await payment.remaining()).toMatchObject({
        amount: 8_000,
        grossAmount: 8_000,
        currency: 'gbp',
        commissionAmount: 1_600,
        refundedAmount: 4_000,
        reversedCommissionAmount: 800,
      });
      expect(await payOutAfterHold()).toEqual(['800 gbp']);
    });

    it.each(['eur', 'usd', 'gbp'])('and then by the backend in %s, stays in that of the shop', async (currency) => {
      await order('first');
      await payment.report('second', 8_000, currency);
      await payment.join();
      await payment.refund(5_400, 'eur');
      await payment.refund(3_000, 'usd');
      expect(await payment.remaining()).toMatchObject({
        amount: 9_000,
        grossAmount: 10_800,
        currency: 'eur',
        commissionAmount: 1_800,
        refundedAmount: 8_100,
        reversedCommissionAmount: 1_350,
      });
      expect(await payOutAfterHold()).toEqual(['450 eur']);
    });

    it.each([
      ['eur', 'usd'],
      ['usd', 'eur'],
      ['eur', 'eur'],
      ['usd', 'usd'],
    ])('by the backend alone, in %s and then in %s, has the total in the first', async (first, second) => {
      const amounts: Record<string, number> = { eur: 9_000, usd: 10_000 };
      await payment.report('first', amounts[first] ?? 0, first);
      await payment.report('second', amounts[second] ?? 0, second);
      await order('second');
      await payment.join();
      await payment.refund(5_400, 'eur');
      await payment.refund(3_000, 'usd');
      const [amount, grossAmount] = first === 'eur' ? [9_000, 10_800] : [10_000, 12_000];
      expect(await payment.remaining()).toMatchObject({
        amount,
        grossAmount,
        currency: first,
        commissionAmount: amount / 5,
        refundedAmount: (grossAmount * 3) / 4,
        reversedCommissionAmount: (amount * 3) / 20,
      });
      expect(await payOutAfterHold()).toEqual([`${amount / 20} ${first}`]);
    });

    it.each(['first', 'second'] as const)(
      'by the shop alone, has both totals of its earliest report, of the %s',
      async (earliest) => {
        const later = {
          grossMinor: 13_500,
          netMinor: 11_250,
          taxMinor: 2_250,
          presentment: { currency: 'usd', grossMinor: 16_000 },
        };
        for (const name of ['first', 'second'] as const) {
          await order(name, name === earliest ? { statedAt: 1 } : { ...later, statedAt: 2 });
        }
        await payment.join();
        await payment.refund(5_400, 'eur');
        await payment.refund(3_000, 'usd');
        expect(await payment.remaining()).toMatchObject({
          amount: 9_000,
          grossAmount: 10_800,
          currency: 'eur',
          commissionAmount: 1_800,
          refundedAmount: 8_100,
          reversedCommissionAmount: 1_350,
        });
        expect(await payOutAfterHold()).toEqual(['450 eur']);
      },
    );

    it('loses what the second sale was paid, in the currency of that one', async () => {
      await payment.report('first', 10_000, 'usd');
      await order('second');
      expect(await payOutAfterHold()).toEqual(['1800 eur', '2000 usd']);
      await payment.join();
      expect(await payOutAfterHold()).toEqual([]);
      const { app, partnerId } = payment;
      expect(await earningsOf(app, partnerId, 'usd')).toMatchObject({
        earned: 2_000,
        reversed: 0,
        payable: 0,
        paid: 2_000,
      });
      expect(await earningsOf(app, partnerId, 'eur')).toMatchObject({
        earned: 1_800,
        reversed: 1_800,
        payable: -1_800,
        paid: 1_800,
      });
    });
  },
);
