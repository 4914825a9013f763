import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_CHARGE } from '../../src/core/refunded.ts';
import { type ReportedRefund, type Reversible, reversalOf } from '../../src/core/reversal.ts';

/** 120.00, of which `refundedMinor` was refunded before the import. */
const imported = (refundedElsewhereMinor: number): Reversible => ({
  grossMinor: 12_000,
  refundedElsewhereMinor,
  amountMinor: 12_000 - refundedElsewhereMinor,
  amountBasis: 'net',
  commissionMinor: 1_000,
  presentedMinor: null,
  paidLines: null,
  voided: false,
});

const REPORT = { releasedMinor: null, commissionableMinor: null, lines: [], isPresented: false, failed: false };

function refund(chargeId: string | null, amountMinor: number, more: Partial<ReportedRefund> = {}): ReportedRefund {
  return { ...REPORT, refundKey: 're', kind: 'refund', chargeId, amountMinor, reportedAt: 1, ...more };
}

const earlier = (chargeId: string | null, amountMinor: number, more: Partial<ReportedRefund> = {}) =>
  refund(chargeId, amountMinor, { reportedAt: -1, isEarlier: true, ...more });
const total = (chargeId: string | null, amountMinor: number, reportedAt = 2) =>
  refund(chargeId, amountMinor, { kind: 'cumulative', reportedAt });
const FAILED = { failed: true, reportedAt: 3 };

describe('of a sale of which 30.00 was refunded before its import', () => {
  it.each<[string, ReportedRefund[], refunded: number]>([
    ['totals of two charges take nothing again', [total('pi_1', 1_000), total('pi_2', 2_000)], 3_000],
    ['a further refund of another charge counts', [total('pi_1', 3_000), total('pi_2', 2_000)], 5_000],
    ['…which is also reported by its id', [refund('pi_2', 2_000), total('pi_1', 3_000), total('pi_2', 2_000)], 5_000],
    ['…while nothing was reported of the first one', [refund('pi_2', 4_000), total('pi_2', 4_000)], 7_000],
    ['the total of the whole payment takes nothing again', [earlier(null, 3_000), total(null, 3_000)], 3_000],
    ['what was paid back outside of all charges counts', [earlier(NO_CHARGE, 1_000), total('pi_1', 3_000)], 4_000],
    ['one that fails since lowers a further one', [earlier('pi_1', 3_000, FAILED), refund('pi_1', 4_000)], 4_000],
    ['…also with the totals', [earlier('pi_1', 3_000, FAILED), refund('pi_1', 4_000), total('pi_1', 7_000)], 4_000],
    ['…and nothing else', [earlier('pi_1', 1_000, FAILED), refund('pi_1', 4_000)], 6_000],
    ['…and counts as refunded', [earlier('pi_1', 3_000, FAILED)], 3_000],
    ['…at most by the 30.00', [earlier('pi_1', 4_000, FAILED), refund('pi_1', 5_000)], 5_000],
    ['one of before lowers no further one', [earlier('pi_1', 1_000), refund('pi_1', 4_000)], 7_000],
    ['what exceeds one of before in a total counts', [earlier('pi_1', 3_000), total('pi_1', 4_000)], 4_000],
    ['two of before count as far as they exceed it', [earlier('pi_1', 2_000), earlier('pi_2', 2_000)], 4_000],
  ])('%s', (_, refunds, refundedMinor) => {
    expect(reversalOf(imported(3_000), refunds, [])).toMatchObject({ refundedMinor });
  });

  it('refunds in the shopper’s currency are not rounded', () => {
    const sale = { ...imported(3_000), presentedMinor: 17_999 };
    const yen = (amountMinor: number, more: Partial<ReportedRefund> = {}) =>
      refund(null, amountMinor, { isPresented: true, ...more });
    const parts = [yen(4_499, { isEarlier: true }), ...Array(3).fill(yen(1_500))];
    expect(reversalOf(sale, [...parts, yen(9_000)], [])).toMatchObject({ refundedMinor: 12_000, reversedMinor: 1_000 });
    const [before, after] = [yen(4_499, { isEarlier: true }), yen(1_500)];
    expect(reversalOf(sale, [before, after], [])).toMatchObject({ refundedMinor: 4_000, reversedMinor: 111 });
  });

  it('a further refund takes what it states of the goods', () => {
    const shipping = refund(null, 1_000, { commissionableMinor: 0 });
    const taken = reversalOf(imported(3_000), [earlier(null, 3_000), shipping], []);
    expect(taken).toMatchObject({ refundedMinor: 4_000, reversedMinor: 0 });
  });

  it.each([
    ['the first by time', 4, 're_1', 5, 're_2'],
    ['the first by its id at the same time', 4, 're_1', 4, 're_2'],
    ['the first by time, whatever its id', 4, 're_2', 5, 're_1'],
  ])('one that fails since lowers %s of two further ones', (_, firstAt, firstKey, secondAt, secondKey) => {
    const first = refund('pi_1', 3_000, { reportedAt: firstAt, refundKey: firstKey });
    const shipping = { reportedAt: secondAt, refundKey: secondKey, commissionableMinor: 0 };
    const refunds = [earlier('pi_1', 3_000, FAILED), first, refund('pi_1', 3_000, shipping)];
    for (const order of [refunds, refunds.toReversed()]) {
      expect(reversalOf(imported(3_000), order, [])).toMatchObject({ refundedMinor: 6_000, reversedMinor: 0 });
    }
  });
});

it('a sale that earned something, although all of it was refunded before its import, keeps that', () => {
  expect(reversalOf(imported(12_000), [], [])).toMatchObject({ refundedMinor: 12_000, reversedMinor: 0 });
});

describe('any refunds of two charges, before and after an import', () => {
  const made = fc.record({
    charge: fc.constantFrom('pi_1', 'pi_2'),
    amountMinor: fc.integer({ min: 1, max: 1_500 }),
    at: fc.integer({ min: -50, max: 50 }).map((at) => at * 10),
    /** It fails as much later. */
    failsAfter: fc.option(fc.integer({ min: 1, max: 200 }).map((after) => after * 10 + 5)),
    /** Reported again as much later; what was made before the import may be reported first then. */
    againAfter: fc.option(fc.integer({ min: 1, max: 40 })),
  });

  it('leave what they leave where all of them are deducted', () => {
    fc.assert(
      fc.property(fc.array(made, { maxLength: 6 }), fc.boolean(), fc.boolean(), (all, isSeenBefore, hasTotals) => {
        const failedBy = (time: number) => (one: (typeof all)[number]) =>
          one.failsAfter !== null && one.at + one.failsAfter <= time;
        const sumOf = (list: typeof all) => list.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
        const paidBackBy = (time: number) => all.filter((one) => one.at <= time && !failedBy(time)(one));
        const before = sumOf(paidBackBy(0));
        const isSeen = (time: number) => isSeenBefore || time > 0;
        const refunds = all.flatMap((one, index): ReportedRefund[] => {
          const { charge, amountMinor, at, failsAfter, againAfter } = one;
          const isEarlier = at <= 0 && !failedBy(0)(one);
          const key = { refundKey: `re_${index}`, isEarlier };
          const total = sumOf(paidBackBy(at).filter((other) => other.charge === charge));
          const totals =
            hasTotals && isSeen(at)
              ? [refund(charge, total, { kind: 'cumulative', refundKey: `${charge} ${total}`, reportedAt: at })]
              : [];
          if (failsAfter !== null && isSeen(at + failsAfter)) {
            return [refund(charge, amountMinor, { ...key, failed: true, reportedAt: at + failsAfter }), ...totals];
          }
          const reportedAt = [at + (againAfter ?? 0), at].find(isSeen);
          const isReported = reportedAt !== undefined && failsAfter === null;
          return [...(isReported ? [refund(charge, amountMinor, { ...key, reportedAt })] : []), ...totals];
        });
        const { refundedMinor } = reversalOf(imported(before), refunds, []);
        expect(refundedMinor).toBe(Math.max(before, sumOf(paidBackBy(Number.POSITIVE_INFINITY))));
      }),
      { numRuns: 2_000 },
    );
  });
});
