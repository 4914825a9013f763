import { expect, it } from 'vitest';
import {
  type ReportedDispute,
  type ReportedRefund,
  type Reversible,
  refundedOf,
  reversalOf,
} from '../../src/core/reversal.ts';
import { RunningRefunds } from '../../src/core/running-refunds.ts';

/** 100.00 that earned 100.00, so that each cent of a refund is one of the commission. */
const sale: Reversible = {
  grossMinor: 10_000,
  amountMinor: 10_000,
  amountBasis: 'net',
  commissionMinor: 10_000,
  presentedMinor: null,
  paidLines: null,
  voided: false,
};

const refund = (amountMinor: number, kind: ReportedRefund['kind'] = 'refund'): ReportedRefund => ({
  refundKey: 're',
  kind,
  chargeId: null,
  releasedMinor: null,
  amountMinor,
  commissionableMinor: null,
  lines: [],
  isPresented: false,
  reportedAt: 0,
  failed: false,
});
const dispute = (amountMinor: number, state: ReportedDispute['state']): ReportedDispute => ({ amountMinor, state });

it.each<[string, ReportedRefund[], ReportedDispute[], [refunded: number, reversed: number, held: number]]>([
  ['a refund of all but a cent leaves a cent', [refund(9_999)], [], [9_999, 9_999, 0]],
  ['a refund of a cent takes a cent', [refund(1)], [], [1, 1, 0]],
  [
    'a total that exceeds a refund by a cent takes it',
    [refund(3_000), refund(3_001, 'cumulative')],
    [],
    [3_001, 3_001, 0],
  ],
  ['an open dispute holds all of its amount', [], [dispute(3_000, 'open')], [0, 0, 3_000]],
  ['a lost dispute of a cent takes a cent', [], [dispute(1, 'lost')], [1, 1, 0]],
  ['beside a refund, an open dispute holds its own amount', [refund(1)], [dispute(9_998, 'open')], [1, 1, 9_998]],
])('%s', (_, refunds, disputes, [refundedMinor, reversedMinor, heldMinor]) => {
  expect(reversalOf(sale, refunds, disputes)).toMatchObject({ refundedMinor, reversedMinor, heldMinor });
});

it("disputes of a sale that was paid in the shopper's currency are in the sale's", () => {
  const presented = { ...sale, presentedMinor: 15_000 };
  const taken = reversalOf(presented, [], [dispute(2_500, 'lost'), dispute(5_000, 'open')]);
  expect(taken).toMatchObject({ refundedMinor: 2_500, reversedMinor: 2_500, heldMinor: 5_000 });
});

it("a failure in the shopper's currency that did not say how much lowers no total", () => {
  const presented = { ...sale, presentedMinor: 15_000 };
  const total = { ...refund(3_000, 'cumulative'), isPresented: true };
  const failure = { ...refund(0), amountMinor: null, isPresented: true, failed: true, reportedAt: 1 };
  expect(reversalOf(presented, [total, failure], [])).toMatchObject({ refundedMinor: 2_000, reversedMinor: 2_000 });
});

it('refunds that are added one by one take what they take together', () => {
  const running = new RunningRefunds(sale, []);
  expect(running.taken).toEqual({ grossUnits: 0n, base: 0n });
  const refunds = [refund(1_000), { ...refund(500), refundKey: 're_2', commissionableMinor: 400 }];
  for (const one of refunds) expect(running.add(one)).toBe(true);
  // 10.00 as a share of the base of 100.00, and the 4.00 that the other states, each times the gross of 10,000
  expect(running.taken).toEqual({ grossUnits: 1_500n, base: 14_000_000n });
  expect(running.taken).toEqual(refundedOf(sale, refunds));
  expect(new RunningRefunds(sale, refunds).taken).toEqual(running.taken);
});
