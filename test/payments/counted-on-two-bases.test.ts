import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/time.ts';
import { type AppOfMany, createAppOfMany } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { TwoSales } from '../helpers/two-sales.ts';

const PAID_AT = Date.UTC(2026, 10, 1);

describe.each(engines)(
  'a payment that was counted twice, perhaps on the net and on the gross amount, on %s',
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

    /** 120.00 were paid, of which 20.00 are tax. */
    const complete = { statedAt: 1 };
    /** Knows only the money of one of two charges. */
    const bare = { grossMinor: 11_000, netMinor: 11_000, taxMinor: 0, isBare: true } as const;
    /** Written after something was added. */
    const edited = { grossMinor: 15_000, netMinor: 12_500, taxMinor: 2_500, statedAt: 2 };
    const earnsOf = { net: 2_000, gross: 2_400 };
    const changeBasis = async (amountBasis: string) => {
      const { call, programId } = payment.app;
      const answer = await call('PATCH', `/api/programs/${programId}`, { body: { amountBasis } });
      expect(answer).toMatchObject({ status: 200, body: { amountBasis } });
    };
    /** Both become sales, each on its own basis, and then turn out to be one payment. */
    const countTwice = async (
      [basis, first]: [string, () => Promise<unknown>],
      [otherBasis, second]: [string, () => Promise<unknown>],
    ) => {
      await changeBasis(basis);
      await first();
      await changeBasis(otherBasis);
      await second();
      await payment.join();
    };
    const ofFirst = (amount: number, grossAmount: number) => ({ amount, grossAmount, commissionAmount: amount / 5 });

    it.each([
      ['bare', 'net', 2_200, 'net', 10_000, bare],
      ['bare', 'gross', 2_200, 'gross', 12_000, bare],
      ['bare', 'gross', 2_200, 'net', 12_000, bare],
      ['later', 'net', 2_500, 'net', 10_000, edited],
      ['later', 'gross', 3_000, 'gross', 12_000, edited],
      ['later', 'gross', 3_000, 'net', 12_000, edited],
    ] as const)(
      'and first by a %s report on the %s amount, for %d, is corrected by one on the %s amount to %d',
      async (_what, basis, earned, otherBasis, amount, first) => {
        await countTwice(
          [basis, () => payment.pay('first', first)],
          [otherBasis, () => payment.pay('second', complete)],
        );
        const commission = amount / 5;
        const stays = [`commission ${earned}`, `adjustment ${commission - earned}`];
        const other = [`commission ${earnsOf[otherBasis]}`, `reversal -${earnsOf[otherBasis]}`];
        expect((await payment.entries()).toSorted()).toEqual([...stays, ...other].toSorted());
        await payment.refund(3_000, 'usd');
        const reversedCommissionAmount = commission / 4;
        expect(await payment.remaining()).toMatchObject({
          ...ofFirst(amount, 12_000),
          refundedAmount: 3_000,
          reversedCommissionAmount,
        });
        expect(await payOutAfterHold()).toEqual([`${commission - reversedCommissionAmount} usd`]);
      },
    );

    it.each([
      ['bare', 'knows only the gross', bare, ['gross', complete], ofFirst(11_000, 11_000)],
      ['later', 'knows only the gross', edited, ['gross', complete], ofFirst(12_500, 15_000)],
      ['bare', 'is bare', bare, ['net', { ...bare, grossMinor: 11_500, netMinor: 11_500 }], ofFirst(11_000, 11_000)],
    ] as const)(
      'and first by a %s report on the net amount, waits for that amount when the other %s',
      async (_what, _other, first, [otherBasis, other], own) => {
        await countTwice(['net', () => payment.pay('first', first)], [otherBasis, () => payment.pay('second', other)]);
        expect(await payment.remaining()).toMatchObject(own);
        await payment.pay('second', complete);
        expect(await payment.remaining()).toMatchObject(ofFirst(10_000, 12_000));
        expect(await payOutAfterHold()).toEqual(['2000 usd']);
      },
    );

    it.each(['before', 'after'])(
      'and first by a later report on the gross amount, then by the backend, has the earliest total, which comes %s they are joined',
      async (when) => {
        await changeBasis('gross');
        await payment.pay('first', edited);
        await payment.report('second', 8_000, 'usd');
        const known = () => payment.pay('second', complete);
        const joined = () => payment.join();
        for (const arrive of when === 'before' ? [known, joined] : [joined, known]) await arrive();
        const earned = ['commission 3000', 'commission 1600', 'reversal -1600', 'adjustment -600'];
        expect(await payment.entries()).toEqual(earned);
        await payment.refund(3_000, 'usd');
        expect(await payment.remaining()).toMatchObject({ ...ofFirst(12_000, 12_000), reversedCommissionAmount: 600 });
        expect(await payOutAfterHold()).toEqual(['1800 usd']);
      },
    );

    it.each([
      ['net', 'bare', 'net', 10_000, bare],
      ['net', 'later', 'gross', 10_000, edited],
      ['gross', 'bare', 'net', 12_000, bare],
      ['gross', 'later', 'gross', 12_000, edited],
    ] as const)(
      'and first completely on the %s amount, then by a %s report on the %s amount, stays',
      async (...row) => {
        const [basis, _what, otherBasis, amount, other] = row;
        await countTwice(
          [basis, () => payment.pay('first', complete)],
          [otherBasis, () => payment.pay('second', other)],
        );
        await payment.refund(3_000, 'usd');
        const reversedCommissionAmount = amount / 20;
        expect(await payment.remaining()).toMatchObject({ ...ofFirst(amount, 12_000), reversedCommissionAmount });
        expect(await payOutAfterHold()).toEqual([`${amount / 5 - reversedCommissionAmount} usd`]);
      },
    );

    it.each([
      ['net', 'gross'],
      ['gross', 'net'],
    ])('and first by the backend, on the %s amount, keeps its amount, and has the total', async (basis, otherBasis) => {
      await countTwice(
        [basis, () => payment.report('first', 8_000, 'usd')],
        [otherBasis, () => payment.pay('second', complete)],
      );
      await payment.refund(3_000, 'usd');
      expect(await payment.remaining()).toMatchObject({ ...ofFirst(8_000, 12_000), reversedCommissionAmount: 400 });
      expect(await payOutAfterHold()).toEqual(['1200 usd']);
    });
  },
);
