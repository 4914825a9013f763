import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiplyRatio } from '../../src/core/money.ts';
import { type ReportedRefund, type Reversible, reversalOf } from '../../src/core/reversal.ts';

const refundOf = (amountMinor: number, commissionableMinor: number | null, isPresented = false): ReportedRefund => ({
  refundKey: 're',
  kind: 'refund',
  chargeId: null,
  releasedMinor: null,
  amountMinor,
  commissionableMinor,
  lines: [],
  isPresented,
  reportedAt: 0,
  failed: false,
});

/** Goods of 80.00 in two lines, with tax of 8 % and shipping of 5.00: 91.40 paid; commission of 20 % on the goods. */
const lined: Reversible = {
  grossMinor: 9_140,
  amountMinor: 8_000,
  amountBasis: 'net',
  presentedMinor: null,
  voided: false,
  commissionMinor: 1_600,
  paidLines: { kit: 2, tray: 1 },
};
type Units = [lineId: string, quantity: number, commissionableMinor: number];
let refundsMade = 0;
/** What goes back, with the tax of the lines; `moreMinor` is of no line. */
const ofLines = (units: Units[], moreMinor = 0, reportedAt = 0): ReportedRefund => {
  const lines = units.map(([lineId, quantity, commissionableMinor]) => {
    return { lineId, quantity, amountMinor: multiplyRatio(commissionableMinor, 108, 100), commissionableMinor };
  });
  const goodsMinor = lines.reduce((sum, line) => sum + line.commissionableMinor, 0);
  const amountMinor = lines.reduce((sum, line) => sum + line.amountMinor, moreMinor);
  refundsMade += 1;
  return { ...refundOf(amountMinor, goodsMinor), refundKey: `re_${refundsMade}`, lines, reportedAt };
};

/** A tray that was paid for and a lamp that was added, with so much less going back, at 8 % of tax. */
const shortOf = (missingMinor: number, shippingMinor = 0): ReportedRefund => {
  const refund = ofLines([
    ['tray', 1, 2_000],
    ['lamp', 1, 3_000],
  ]);
  const amountMinor = 5_400 + shippingMinor - missingMinor;
  const commissionableMinor = 5_000 - multiplyRatio(missingMinor, 100, 108);
  const shipping = { lineId: null, quantity: 1, amountMinor: shippingMinor, commissionableMinor: 0 };
  const lines = [...refund.lines, ...(shippingMinor === 0 ? [] : [shipping])];
  return { ...refund, amountMinor, commissionableMinor, lines };
};

describe('what refunds of lines take, of which some were added after the payment', () => {
  it.each<[string, ReportedRefund[], [refunded: number, reversed: number]]>([
    ['a line that was paid for', [ofLines([['tray', 1, 2_000]])], [2_160, 400]],
    ['a line that was added', [ofLines([['lamp', 1, 3_000]])], [0, 0]],
    ['an added line that cost more than all before', [ofLines([['sofa', 1, 90_000]])], [0, 0]],
    [
      'both at once',
      [
        ofLines([
          ['tray', 1, 2_000],
          ['lamp', 1, 3_000],
        ]),
      ],
      [2_160, 400],
    ],
    ['an added line and the shipping', [ofLines([['lamp', 1, 3_000]], 500)], [500, 0]],
    [
      'everything, in one',
      [
        ofLines(
          [
            ['kit', 2, 6_000],
            ['tray', 1, 2_000],
            ['lamp', 1, 3_000],
          ],
          500,
        ),
      ],
      [9_140, 1_600],
    ],
    [
      'everything, one by one',
      [ofLines([['lamp', 1, 3_000]]), ofLines([['kit', 2, 6_000]]), ofLines([['tray', 1, 2_000]], 500)],
      [9_140, 1_600],
    ],
    ['a third unit of a line that got one more', [ofLines([['kit', 3, 9_000]])], [6_480, 1_200]],
    ['a unit of it, of which the first are those paid for', [ofLines([['kit', 1, 3_000]])], [3_240, 600]],
    ['each unit of it apart', [1, 2, 3].map((at) => ofLines([['kit', 1, 3_000]], 0, at)), [6_480, 1_200]],
    [
      'two of them, then two more, the price having changed',
      [ofLines([['kit', 2, 5_000]], 0, 2), ofLines([['kit', 2, 6_000]], 0, 1)],
      [6_480, 1_200],
    ],
    [
      'one, then three of which one was paid for',
      [ofLines([['kit', 1, 3_000]], 0, 1), ofLines([['kit', 3, 9_001]], 0, 2)],
      [6_480, 1_200],
    ],
    ['an added line, of which less went back', [ofLines([['lamp', 1, 3_000]], -1_000)], [0, 0]],
    ['a paid and an added line, of which the added one was not paid back', [shortOf(3_240)], [2_160, 400]],
    ['both, with a part of the added line', [shortOf(1_000)], [2_160, 400]],
    ['both, with shipping, of which the added one was not paid back', [shortOf(3_240, 500)], [2_660, 400]],
    ['both, with less than the paid one cost', [shortOf(3_740)], [1_660, 307]],
    ['both, with nothing but the shipping', [shortOf(5_400, 500)], [500, 0]],
    ['money for nothing named', [refundOf(4_570, null)], [4_570, 800]],
  ])('%s', (_, refunds, [refundedMinor, reversedMinor]) => {
    for (const order of [refunds, refunds.toReversed()]) {
      expect(reversalOf(lined, order, [])).toMatchObject({
        refundedMinor,
        reversedMinor,
        reportedMinor: refundedMinor,
      });
    }
  });

  it('is a share of the gross without them when the program counts gross', () => {
    const gross: Reversible = { ...lined, amountMinor: 9_140, amountBasis: 'gross', commissionMinor: 1_828 };
    const both = ofLines([
      ['tray', 1, 2_000],
      ['lamp', 1, 3_000],
    ]);
    expect(reversalOf(gross, [both], [])).toMatchObject({ refundedMinor: 2_160, reversedMinor: 432 });
  });

  it('is not taken because a cumulative amount includes what was added', () => {
    const lamp = ofLines([['lamp', 1, 3_000]]);
    const sum: ReportedRefund = { ...refundOf(3_240, null), kind: 'cumulative' };
    expect(reversalOf(lined, [lamp, sum], [])).toMatchObject({ refundedMinor: 0, reversedMinor: 0 });
    expect(reversalOf(lined, [lamp, { ...sum, amountMinor: 5_525 }], [])).toMatchObject({ refundedMinor: 2_285 });
  });

  it('is everything named while the lines that were paid for are unknown', () => {
    const unknown = { ...lined, paidLines: null };
    expect(reversalOf(unknown, [ofLines([['lamp', 1, 3_000]])], [])).toMatchObject({ reversedMinor: 600 });
  });
});

/** Cents and yen, yen and fils, fils and cents, and the like. */
const gross = fc.constantFrom(1, 67, 100, 9_999, 10_000, 12_345, 113_700, 1_600_021, 1_000_000_000_000);
const presentedSale = fc
  .record({
    grossMinor: gross,
    presentedMinor: gross,
    goods: fc.nat(100),
    rate: fc.nat(100),
    amountBasis: fc.constantFrom('net', 'gross'),
  })
  .map(({ goods, rate, ...sale }): Reversible => {
    const amountMinor = sale.amountBasis === 'gross' ? sale.grossMinor : multiplyRatio(sale.grossMinor, goods, 100);
    const commissionMinor = multiplyRatio(amountMinor, rate, 100);
    return { ...sale, amountMinor, commissionMinor, paidLines: null, voided: false };
  });
/** The size of each refund beside the others, how much of it is goods, and how much of everything goes back. */
const shares = fc.record({
  parts: fc.array(fc.tuple(fc.integer({ min: 1, max: 1_000 }), fc.nat(100)), { minLength: 1, maxLength: 30 }),
  percentBack: fc.oneof(fc.constant(100), fc.nat(100)),
});

describe('refunds in the currency of the shopper', () => {
  const sale: Reversible = {
    ...lined,
    grossMinor: 10_000,
    amountMinor: 10_000,
    commissionMinor: 2_000,
    paidLines: null,
  };

  it('are rounded once, not each: seven of 1,000 yen of 15,000 are 46.67 of 100.00', () => {
    const refunds = Array.from({ length: 7 }, () => refundOf(1_000, 1_000, true));
    const taken = reversalOf({ ...sale, presentedMinor: 15_000 }, refunds, []);
    expect(taken).toMatchObject({ refundedMinor: 4_667, reversedMinor: 933 });
  });

  it('take in up to 30 parts what one refund of their sum takes, and everything when everything went back', () => {
    fc.assert(
      fc.property(presentedSale, shares, (presented, { parts, percentBack }) => {
        const back = multiplyRatio(presented.presentedMinor ?? 0, percentBack, 100);
        const total = parts.reduce((sum, [part]) => sum + part, 0);
        let before = 0;
        const refunds = parts.map(([part, goods]) => {
          const paidBack = multiplyRatio(back, before + part, total) - multiplyRatio(back, before, total);
          before += part;
          return refundOf(paidBack, multiplyRatio(paidBack, goods, 100), true);
        });
        const sumOf = (key: 'amountMinor' | 'commissionableMinor') =>
          refunds.reduce((sum, refund) => sum + (refund[key] ?? 0), 0);
        const once = refundOf(sumOf('amountMinor'), sumOf('commissionableMinor'), true);
        const taken = reversalOf(presented, refunds, []);
        expect(taken).toEqual(reversalOf(presented, [once], []));
        expect(reversalOf(presented, refunds.toReversed(), [])).toEqual(taken);
        if (percentBack < 100) return;
        expect(taken).toMatchObject({
          refundedMinor: presented.grossMinor,
          reversedMinor: presented.commissionMinor,
        });
      }),
      { numRuns: 5_000 },
    );
  });

  it('and in the currency of the shop add up to everything', () => {
    fc.assert(
      fc.property(presentedSale, fc.nat(100), (presented, percent) => {
        const shop = multiplyRatio(presented.grossMinor, percent, 100);
        const left = (presented.grossMinor - shop) * (presented.presentedMinor ?? 0);
        const rest = Math.ceil(left / presented.grossMinor);
        fc.pre(Number.isSafeInteger(left));
        const taken = reversalOf(presented, [refundOf(shop, 0), refundOf(rest, 0, true)], []);
        expect(taken.reversedMinor).toBe(presented.commissionMinor);
      }),
      { numRuns: 1_000 },
    );
  });
});
