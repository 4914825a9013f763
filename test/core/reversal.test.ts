import { describe, expect, it } from 'vitest';
import { type ReportedDispute, type ReportedRefund, reversalOf } from '../../src/core/reversal.ts';

const sale = { grossMinor: 10_000, commissionMinor: 2_000, voided: false };

const refund = (amountMinor: number | null, failed = false): ReportedRefund => ({
  kind: 'refund',
  amountMinor,
  failed,
});
const cumulative = (amountMinor: number): ReportedRefund => ({ kind: 'cumulative', amountMinor, failed: false });
const dispute = (amountMinor: number, state: ReportedDispute['state']): ReportedDispute => ({ amountMinor, state });

describe('what refunds and disputes take from a commission of 20.00 on 100.00', () => {
  it.each<[string, ReportedRefund[], ReportedDispute[], [refunded: number, reversed: number, held: number]]>([
    ['nothing happened', [], [], [0, 0, 0]],
    ['a partial refund', [refund(2_500)], [], [2_500, 500, 0]],
    ['three partial refunds', [refund(3_333), refund(3_333), refund(3_334)], [], [10_000, 2_000, 0]],
    ['a full refund', [refund(10_000)], [], [10_000, 2_000, 0]],
    ['more than was paid', [refund(9_000), refund(9_000)], [], [10_000, 2_000, 0]],
    ['one refund told by both families', [refund(4_000), cumulative(4_000)], [], [4_000, 800, 0]],
    ['cumulative amounts, of which the greatest counts', [cumulative(1_000), cumulative(3_000)], [], [3_000, 600, 0]],
    ['a refund that failed', [refund(4_000, true)], [], [0, 0, 0]],
    ['a refund that failed, told by both families', [refund(4_000, true), cumulative(4_000)], [], [0, 0, 0]],
    [
      'one that failed beside one that did not',
      [refund(4_000, true), refund(1_000), cumulative(5_000)],
      [],
      [1_000, 200, 0],
    ],
    ['a failure that did not say how much', [refund(null, true)], [], [0, 0, 0]],
    ['an open dispute', [], [dispute(10_000, 'open')], [0, 0, 2_000]],
    ['a dispute that was won', [], [dispute(10_000, 'won')], [0, 0, 0]],
    ['a dispute that was lost', [], [dispute(10_000, 'lost')], [10_000, 2_000, 0]],
    ['a refund inside an open dispute', [refund(4_000)], [dispute(10_000, 'open')], [4_000, 800, 1_200]],
    ['a refund inside a dispute that was lost', [refund(4_000)], [dispute(10_000, 'lost')], [10_000, 2_000, 0]],
    ['a full refund inside an open dispute', [refund(10_000)], [dispute(10_000, 'open')], [10_000, 2_000, 0]],
    ['two disputes, one of them lost', [], [dispute(2_500, 'lost'), dispute(5_000, 'open')], [2_500, 500, 1_000]],
  ])('%s', (_, refunds, disputes, [refundedMinor, reversedMinor, heldMinor]) => {
    expect(reversalOf(sale, refunds, disputes)).toMatchObject({ refundedMinor, reversedMinor, heldMinor });
    expect(reversalOf(sale, refunds.toReversed(), disputes.toReversed())).toEqual(reversalOf(sale, refunds, disputes));
  });

  it('reports how much was refunded when that is more than was paid', () => {
    expect(reversalOf(sale, [refund(9_000), refund(9_000)], [])).toMatchObject({ reportedMinor: 18_000 });
  });

  it('a void sale is reversed in full, whatever was refunded', () => {
    const voided = { ...sale, voided: true };
    expect(reversalOf(voided, [refund(2_500)], [dispute(10_000, 'open')])).toEqual({
      reportedMinor: 2_500,
      refundedMinor: 2_500,
      reversedMinor: 2_000,
      heldMinor: 0,
    });
  });

  it('a sale of zero has nothing to reverse', () => {
    const free = { grossMinor: 0, commissionMinor: 0, voided: false };
    expect(reversalOf(free, [refund(100)], [dispute(5, 'open')])).toMatchObject({ reversedMinor: 0, heldMinor: 0 });
  });
});
