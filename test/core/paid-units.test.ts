import { expect, it } from 'vitest';
import { PaidUnits } from '../../src/core/paid-units.ts';
import { byTime } from '../../src/core/refund-lines.ts';

const refundOf = (reportedAt: number, quantity: number) => {
  const lines = [{ lineId: 'kit', quantity, amountMinor: 100, commissionableMinor: 100 }];
  return { refundKey: `re_${reportedAt}`, reportedAt, lines };
};

it('a refund between others takes its unit from the last of them', () => {
  const units = new PaidUnits<ReturnType<typeof refundOf>>({ kit: 4 }, byTime);
  const [first, second, third, fourth, fifth] = [1, 2, 3, 4, 5].map((at) => refundOf(at, 1));
  if (!first || !second || !third || !fourth || !fifth) throw new Error('five refunds');
  for (const refund of [first, third, fifth, fourth]) expect([...units.take(refund)]).toEqual([refund]);
  expect(units.take(second)).toEqual(new Set([second, fifth]));
  expect([first, second, third, fourth, fifth].map((refund) => units.of(refund))).toEqual([[1], [1], [1], [1], [0]]);
});

it('a refund takes what is left of a line, and only the rest from a later refund', () => {
  const units = new PaidUnits<ReturnType<typeof refundOf>>({ kit: 3 }, byTime);
  const [early, late] = [refundOf(1, 2), refundOf(5, 2)];
  units.take(late);
  expect(units.take(early)).toEqual(new Set([early, late]));
  expect([units.of(early), units.of(late)]).toEqual([[2], [1]]);
});
