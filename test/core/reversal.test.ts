import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DISPUTE_STATES } from '../../src/core/facts.ts';
import { multiplyRatio } from '../../src/core/money.ts';
import { type ReportedDispute, type ReportedRefund, type Reversible, reversalOf } from '../../src/core/reversal.ts';

const sale: Reversible = {
  grossMinor: 10_000,
  amountMinor: 10_000,
  amountBasis: 'net',
  commissionMinor: 2_000,
  presentedMinor: null,
  paidLines: null,
  voided: false,
};

const UNLINED = { refundKey: 're', chargeId: null, releasedMinor: null, lines: [], isPresented: false } as const;

/** Failures are reported at 1, everything else at 0. */
const refund = (
  amountMinor: number | null,
  failed = false,
  commissionableMinor: number | null = null,
): ReportedRefund => ({
  ...UNLINED,
  kind: 'refund',
  amountMinor,
  commissionableMinor,
  failed,
  reportedAt: failed ? 1 : 0,
});
const cumulative = (amountMinor: number, reportedAt = 0): ReportedRefund => ({
  ...UNLINED,
  kind: 'cumulative',
  amountMinor,
  commissionableMinor: null,
  failed: false,
  reportedAt,
});
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
    [
      'a failure that the cumulative amount already leaves out',
      [refund(4_000, true), refund(1_000), cumulative(1_500, 2)],
      [],
      [1_500, 300, 0],
    ],
    [
      'a failure between two cumulative amounts',
      [refund(4_000, true), cumulative(5_000), cumulative(2_500, 2)],
      [],
      [2_500, 500, 0],
    ],
    ['a failure that did not say how much', [refund(null, true)], [], [0, 0, 0]],
    ['an open dispute', [], [dispute(10_000, 'open')], [0, 0, 2_000]],
    ['a dispute that was won', [], [dispute(10_000, 'won')], [0, 0, 0]],
    ['a dispute that was lost', [], [dispute(10_000, 'lost')], [10_000, 2_000, 0]],
    ['a refund inside an open dispute', [refund(4_000)], [dispute(10_000, 'open')], [4_000, 800, 1_200]],
    ['a refund inside a dispute that was lost', [refund(4_000)], [dispute(10_000, 'lost')], [10_000, 2_000, 0]],
    ['a full refund inside an open dispute', [refund(10_000)], [dispute(10_000, 'open')], [10_000, 2_000, 0]],
    [
      'a lost dispute, part of which came back',
      [],
      [dispute(10_000, 'lost'), dispute(4_000, 'returned')],
      [6_000, 1_200, 0],
    ],
    [
      'two lost disputes, of which one came back',
      [],
      [dispute(4_000, 'lost'), dispute(6_000, 'lost'), dispute(6_000, 'returned')],
      [4_000, 800, 0],
    ],
    [
      'one that came back by its own status as well',
      [],
      [dispute(4_000, 'lost'), dispute(6_000, 'won'), dispute(6_000, 'returned')],
      [4_000, 800, 0],
    ],
    ['an open dispute, part of which came back', [], [dispute(5_000, 'open'), dispute(2_000, 'returned')], [0, 0, 600]],
    ['money that came back of no dispute', [], [dispute(5_000, 'returned')], [0, 0, 0]],
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
    const free = { ...sale, grossMinor: 0, amountMinor: 0, commissionMinor: 0 };
    expect(reversalOf(free, [refund(100)], [dispute(5, 'open')])).toMatchObject({ reversedMinor: 0, heldMinor: 0 });
  });
});

/** Goods of 100.00 and shipping of 5.00, with tax of 20 % on both: 126.00 paid; commission of 20 % on the goods. */
const order: Reversible = { ...sale, grossMinor: 12_600, amountMinor: 10_000 };
const stated = (amountMinor: number, commissionableMinor: number) => refund(amountMinor, false, commissionableMinor);

describe('what refunds take that state what they gave back, as in the table of docs/payouts.md', () => {
  it.each<[string, ReportedRefund[], ReportedDispute[], [refunded: number, reversed: number, held: number]]>([
    ['everything', [stated(12_600, 10_000)], [], [12_600, 2_000, 0]],
    ['everything, with nothing stated', [refund(12_600)], [], [12_600, 2_000, 0]],
    ['all goods, shipping kept', [stated(12_000, 10_000)], [], [12_000, 2_000, 0]],
    ['shipping alone', [stated(600, 0)], [], [600, 0, 0]],
    ['tax alone', [stated(2_100, 0)], [], [2_100, 0, 0]],
    ['half the goods', [stated(6_000, 5_000)], [], [6_000, 1_000, 0]],
    ['a third of the goods', [stated(4_000, 3_333)], [], [4_000, 667, 0]],
    ['two thirds of the goods', [stated(4_000, 3_333), stated(4_000, 3_333)], [], [8_000, 1_333, 0]],
    ['three thirds', [stated(4_000, 3_333), stated(4_000, 3_333), stated(4_000, 3_334)], [], [12_000, 2_000, 0]],
    ['half of everything, with nothing stated', [refund(6_300)], [], [6_300, 1_000, 0]],
    [
      'half the goods, and a dispute about a quarter',
      [stated(6_000, 5_000)],
      [dispute(3_150, 'open')],
      [6_000, 1_000, 500],
    ],
    ['the same when it is lost', [stated(6_000, 5_000)], [dispute(3_150, 'lost')], [9_150, 1_500, 0]],
    ['shipping, told by both families', [stated(600, 0), cumulative(600)], [], [600, 0, 0]],
    ['shipping by id, and more in sum', [stated(600, 0), cumulative(6_900)], [], [6_900, 1_000, 0]],
    ['tax, then everything else', [stated(2_100, 0), stated(10_500, 10_000)], [], [12_600, 2_000, 0]],
    ['more goods than were sold', [stated(11_000, 10_500)], [], [11_000, 2_000, 0]],
  ])('%s', (_, refunds, disputes, [refundedMinor, reversedMinor, heldMinor]) => {
    expect(reversalOf(order, refunds, disputes)).toMatchObject({ refundedMinor, reversedMinor, heldMinor });
  });

  it('a program that counts gross pays for shipping and tax, so refunds of them take it back', () => {
    const gross: Reversible = { ...order, amountMinor: 12_600, amountBasis: 'gross', commissionMinor: 2_520 };
    expect(reversalOf(gross, [stated(600, 0)], [])).toMatchObject({ reversedMinor: 120 });
  });
});

const amount = fc.integer({ min: 0, max: 1_000_000_000_000 });
const anyRefund: fc.Arbitrary<ReportedRefund> = fc
  .record({
    kind: fc.constantFrom('refund', 'cumulative'),
    amountMinor: fc.option(amount),
    commissionableMinor: fc.option(amount),
    failed: fc.boolean(),
    reportedAt: fc.nat(5),
  })
  .map((one) => ({ ...UNLINED, ...one, failed: one.failed && one.kind === 'refund' }));
const anyDispute: fc.Arbitrary<ReportedDispute> = fc.record({
  amountMinor: amount,
  state: fc.constantFrom(...DISPUTE_STATES),
});
const anySale: fc.Arbitrary<Reversible> = fc
  .record({
    amountMinor: amount,
    rest: fc.integer({ min: 1, max: 1_000_000 }),
    share: fc.nat(10_000),
    amountBasis: fc.constantFrom('net', 'gross'),
  })
  .map(({ amountMinor, rest, share, amountBasis }) => ({
    grossMinor: amountBasis === 'gross' ? amountMinor || 1 : amountMinor + rest,
    amountMinor,
    amountBasis,
    commissionMinor: multiplyRatio(amountMinor, share, 10_000),
    presentedMinor: null,
    paidLines: null,
    voided: false,
  }));

describe('whatever is reported', () => {
  const runs = { numRuns: 5_000 };

  it('takes between nothing and the commission, the same in any order', () => {
    fc.assert(
      fc.property(anySale, fc.array(anyRefund), fc.array(anyDispute), (one, refunds, disputes) => {
        const reversal = reversalOf(one, refunds, disputes);
        const { reversedMinor, heldMinor } = reversal;
        expect(Math.min(reversedMinor, heldMinor)).toBeGreaterThanOrEqual(0);
        expect(reversedMinor + heldMinor).toBeLessThanOrEqual(one.commissionMinor);
        expect(reversalOf(one, refunds.toReversed(), disputes.toReversed())).toEqual(reversal);
      }),
      runs,
    );
  });

  it('a further refund by id never gives anything back, and one of the rest takes everything', () => {
    const byId = anyRefund.filter(({ kind }) => kind === 'refund');
    fc.assert(
      fc.property(anySale, fc.array(byId), byId, (one, refunds, another) => {
        const before = reversalOf(one, refunds, []).reversedMinor;
        expect(reversalOf(one, [...refunds, { ...another, failed: false }], []).reversedMinor).toBeGreaterThanOrEqual(
          before,
        );
        const rest = refund(one.grossMinor, false, 0);
        expect(reversalOf(one, [...refunds, rest], []).reversedMinor).toBe(one.commissionMinor);
      }),
      runs,
    );
  });

  it('parts that add up to the goods take exactly the commission, and parts without goods nothing', () => {
    fc.assert(
      fc.property(anySale, fc.array(fc.nat(1_000_000), { minLength: 1 }), (one, parts) => {
        const goods = parts.reduce((sum, part) => sum + part, 1);
        const net = { ...one, amountBasis: 'net' as const, amountMinor: goods, grossMinor: goods + 1 };
        const whole = { ...net, commissionMinor: Math.min(one.commissionMinor, goods) };
        const refunds = [1, ...parts].map((part) => stated(part, part));
        expect(reversalOf(whole, refunds, []).reversedMinor).toBe(whole.commissionMinor);
        const rest = { ...whole, grossMinor: goods * 3 };
        expect(reversalOf(rest, [stated(goods, 0)], []).reversedMinor).toBe(0);
      }),
      runs,
    );
  });
});
