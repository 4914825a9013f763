import { describe, expect, it } from 'vitest';
import { linesLeftOf, withoutUnpaidLines } from '../../src/core/refund-lines.ts';

type Line = [lineId: string | null, quantity: number, amountMinor: number, commissionableMinor: number];

/** A refund of these lines, all of whose money went back. */
function refundOf(refundKey: string, lines: Line[], reportedAt = 1) {
  return {
    refundKey,
    reportedAt,
    amountMinor: lines.reduce((sum, [, , amountMinor]) => sum + amountMinor, 0),
    commissionableMinor: lines.reduce<number | null>((sum, line) => (sum ?? 0) + line[3], 0),
    lines: lines.map(([lineId, quantity, amountMinor, commissionableMinor]) => {
      return { lineId, quantity, amountMinor, commissionableMinor };
    }),
  };
}

const TRAY: Line = ['tray', 1, 2_160, 2_000];
const LAMP: Line = ['lamp', 1, 3_240, 3_000];
const SOFA: Line = ['sofa', 1, 4_320, 4_000];
const SHIPPING: Line = [null, 1, 500, 0];

/** Each refund's id with what it takes, of a payment for one tray. */
function taken(...refunds: ReturnType<typeof refundOf>[]) {
  return withoutUnpaidLines(refunds, linesLeftOf({ tray: 1 })).map(
    ({ refundKey, amountMinor, commissionableMinor }) => [refundKey, amountMinor, commissionableMinor],
  );
}

describe('what refunds take of a payment for one tray', () => {
  it('is nothing for lines that were added, however often they are refunded', () => {
    const refunds = [refundOf('re_1', [LAMP], 1), refundOf('re_2', [LAMP], 2), refundOf('re_3', [LAMP], 3)];
    expect(taken(...refunds)).toEqual([
      ['re_1', 0, 0],
      ['re_2', 0, 0],
      ['re_3', 0, 0],
    ]);
  });

  it('is the tray of a refund of it and two lines that were added', () => {
    expect(taken(refundOf('re_1', [TRAY, LAMP, SOFA]))).toEqual([['re_1', 2_160, 2_000]]);
    expect(taken(refundOf('re_1', [LAMP, SOFA, SHIPPING]))).toEqual([['re_1', 500, 0]]);
  });

  it('is the tray even if what was added cost a cent', () => {
    expect(taken(refundOf('re_1', [TRAY, ['screw', 1, 1, 1]]))).toEqual([['re_1', 2_160, 2_000]]);
  });

  it('is the whole tray when a cent less went back than both cost', () => {
    const refund = { ...refundOf('re_1', [TRAY, LAMP]), amountMinor: 5_399, commissionableMinor: 4_999 };
    expect(taken(refund)).toEqual([['re_1', 2_160, 2_000]]);
  });

  it('is nothing of the goods when less went back than both cost, and only the shipping remains', () => {
    const refund = { ...refundOf('re_1', [TRAY, LAMP, SHIPPING]), amountMinor: 500, commissionableMinor: 0 };
    expect(taken(refund)).toEqual([['re_1', 500, 0]]);
  });

  it('is a refund without lines beside one of a line that was added', () => {
    const whole = { ...refundOf('re_1', [], 1), amountMinor: 700, commissionableMinor: 600 };
    expect(taken(whole, refundOf('re_2', [LAMP], 2))).toEqual([
      ['re_1', 700, 600],
      ['re_2', 0, 0],
    ]);
  });

  it('leaves the tray to a later refund when an earlier one does not say how much of it is commissionable', () => {
    const unstated = { ...refundOf('re_1', [TRAY], 1), commissionableMinor: null };
    expect(taken(unstated, refundOf('re_2', [TRAY], 2))).toEqual([
      ['re_1', 2_160, null],
      ['re_2', 2_160, 2_000],
    ]);
  });

  it.each([
    ['the first one by time', 1, 're_2', 2, 're_1'],
    ['the first one by its id at the same time', 1, 're_1', 1, 're_2'],
  ])('is the tray of %s', (_, firstAt, first, secondAt, second) => {
    const refunds = [refundOf(first, [TRAY], firstAt), refundOf(second, [TRAY], secondAt)] as const;
    const expected = [
      [first, 2_160, 2_000],
      [second, 0, 0],
    ];
    expect(taken(...refunds)).toEqual(expected);
    expect(taken(refunds[1], refunds[0])).toEqual(expected);
  });
});
