import { describe, expect, it } from 'vitest';
import { NO_CHARGE } from '../../src/core/refunded.ts';
import { type ReportedRefund, type Reversible, reversalOf } from '../../src/core/reversal.ts';

const sale: Reversible = {
  grossMinor: 10_000,
  amountMinor: 10_000,
  amountBasis: 'net',
  commissionMinor: 2_000,
  presentedMinor: null,
  paidLines: null,
  voided: false,
};

const REPORT = {
  refundKey: 're',
  releasedMinor: null,
  commissionableMinor: null,
  lines: [],
  isPresented: false,
} as const;
const refund = (chargeId: string | null, amountMinor: number): ReportedRefund => ({
  ...REPORT,
  kind: 'refund',
  chargeId,
  amountMinor,
  failed: false,
  reportedAt: 0,
});
const failure = (chargeId: string | null, amountMinor: number): ReportedRefund => ({
  ...refund(chargeId, amountMinor),
  failed: true,
  reportedAt: 1,
});
const total = (chargeId: string | null, amountMinor: number, reportedAt = 0): ReportedRefund => ({
  ...REPORT,
  kind: 'cumulative',
  chargeId,
  amountMinor,
  failed: false,
  reportedAt,
});
/** 30.00 of the first charge were never captured. */
const released = (amountMinor: number): ReportedRefund => ({ ...total('pi_1', amountMinor), releasedMinor: 3_000 });

describe('refunds of an invoice of 100.00 that several charges paid', () => {
  it.each<[string, ReportedRefund[], refunded: number, reversed: number]>([
    ['by their totals are added', [total('pi_1', 3_000), total('pi_2', 3_000)], 6_000, 1_200],
    ['are the greatest total of each', [total('pi_1', 1_000), total('pi_1', 3_000)], 3_000, 600],
    [
      'beside a total of the whole payment are the greater of both',
      [total('pi_1', 3_000), total('pi_2', 3_000), total(null, 5_000)],
      6_000,
      1_200,
    ],
    [
      'told by both families count once',
      ['pi_1', 'pi_2'].flatMap((charge) => [total(charge, 3_000), refund(charge, 3_000)]),
      6_000,
      1_200,
    ],
    [
      'of which one is known by id and one by its total are added',
      [refund('pi_1', 3_000), total('pi_2', 3_000)],
      6_000,
      1_200,
    ],
    [
      'of which one is known by id and one by both are added',
      [refund('pi_1', 3_000), refund('pi_2', 1_000), total('pi_2', 3_000)],
      6_000,
      1_200,
    ],
    [
      'that name no charge are in the totals as far as these exceed the others',
      [refund(null, 1_000), refund('pi_1', 3_000), total('pi_1', 3_000), refund('pi_2', 500), total('pi_2', 1_000)],
      4_500,
      900,
    ],
    [
      'that failed lower the total of their own charge only',
      [total('pi_1', 3_000), failure('pi_1', 3_000), total('pi_1', 2_000, 2), total('pi_2', 4_000)],
      6_000,
      1_200,
    ],
    ['that failed leave the rest of their total', [total('pi_1', 5_000), failure('pi_1', 4_000)], 1_000, 200],
    ['that failed lower the total of the whole payment', [total(null, 5_000), failure('pi_1', 4_000)], 1_000, 200],
    ['that failed and name no charge lower all totals', [total('pi_1', 5_000), failure(null, 4_000)], 1_000, 200],
    [
      'that are known by id after their total lower nothing',
      [total('pi_1', 5_000), { ...refund('pi_1', 2_000), reportedAt: 2 }],
      5_000,
      1_000,
    ],
    ['of five cents count', [total('pi_1', 5)], 5, 1],
    ['of a cent count, though they take no cent of the commission', [total('pi_1', 1)], 1, 0],
  ])('%s', (_, refunds, refundedMinor, reversedMinor) => {
    expect(reversalOf(sale, refunds, [])).toMatchObject({ refundedMinor, reversedMinor });
    expect(reversalOf(sale, refunds.toReversed(), [])).toEqual(reversalOf(sale, refunds, []));
  });
});

it('a thousand refunds that failed are not compared with each of a thousand totals', () => {
  let looks = 0;
  const counted = (report: ReportedRefund, reportedAt: number): ReportedRefund => ({
    ...report,
    get reportedAt() {
      looks += 1;
      return reportedAt;
    },
  });
  const refunds = Array.from({ length: 1_000 }, (_, n) => [
    counted(failure('pi_1', 1), (n * 7) % 1_000),
    counted(total('pi_1', 5_000), n),
  ]).flat();
  // of the latest total, nothing failed afterwards
  expect(reversalOf(sale, refunds, [])).toMatchObject({ refundedMinor: 5_000, reversedMinor: 1_000 });
  expect(looks).toBeLessThan(100_000);
});

describe('what was paid back outside of the charges', () => {
  const cash = refund(NO_CHARGE, 3_000);
  const voided = failure(NO_CHARGE, 3_000);
  it.each<[string, ReportedRefund[], refunded: number]>([
    ['is no part of a total of a charge', [cash, total('pi_1', 2_000)], 5_000],
    ['is no part of a total of the whole payment', [cash, total(null, 2_000)], 5_000],
    ['is added to what both families report', [cash, total('pi_1', 2_000), refund('pi_1', 2_000)], 5_000],
    ['is added to refunds by id', [cash, refund('pi_1', 2_000)], 5_000],
    ['lowers no total when it is voided', [voided, total('pi_1', 2_000)], 2_000],
    ['lowers no total of the whole payment when it is voided', [voided, total(null, 2_000)], 2_000],
  ])('%s', (_, refunds, refundedMinor) => {
    expect(reversalOf(sale, refunds, [])).toMatchObject({ refundedMinor, reversedMinor: refundedMinor / 5 });
    expect(reversalOf(sale, refunds.toReversed(), [])).toEqual(reversalOf(sale, refunds, []));
  });
});

describe('a part that was authorized and never captured is no refund', () => {
  it.each<[string, ReportedRefund[], refunded: number]>([
    ['when only a total tells of it', [released(0)], 0],
    ['when it is reported by id as well', [released(0), refund('pi_1', 3_000)], 0],
    ['beside a refund', [released(1_000), refund('pi_1', 3_000), refund('pi_1', 1_000)], 1_000],
    ['beside refunds of the same amount', [released(6_000), ...Array(3).fill(refund('pi_1', 3_000))], 6_000],
    ['when two totals tell of it', [released(0), released(3_000), ...Array(2).fill(refund('pi_1', 3_000))], 3_000],
    ['but a refund of another charge is one', [released(0), refund('pi_2', 3_000)], 3_000],
    ['but a refund of another amount is one', [released(0), refund('pi_1', 2_999)], 2_999],
    [
      'but a further refund is one, of which no total tells yet',
      [released(0), refund('pi_1', 3_000), { ...refund('pi_1', 1_000), reportedAt: 2 }],
      1_000,
    ],
    [
      'after a refund of the same amount that failed',
      [released(0), failure('pi_1', 3_000), { ...refund('pi_1', 3_000), reportedAt: 2 }],
      0,
    ],
  ])('%s', (_, refunds, refundedMinor) => {
    expect(reversalOf(sale, refunds, [])).toMatchObject({ refundedMinor });
    expect(reversalOf(sale, refunds.toReversed(), [])).toEqual(reversalOf(sale, refunds, []));
  });

  it.each([
    ['by time', 4, 're_1', 5, 're_2'],
    ['by its id at the same time', 4, 're_1', 4, 're_2'],
    ['by time, whatever its id', 4, 're_2', 5, 're_1'],
  ])('of two of its amount, the first one %s was not captured', (_, firstAt, firstKey, secondAt, secondKey) => {
    const first = { ...refund('pi_1', 3_000), reportedAt: firstAt, refundKey: firstKey };
    const shipping = { ...refund('pi_1', 3_000), reportedAt: secondAt, refundKey: secondKey, commissionableMinor: 0 };
    for (const refunds of [
      [released(3_000), first, shipping],
      [shipping, first, released(3_000)],
    ]) {
      expect(reversalOf(sale, refunds, [])).toMatchObject({ refundedMinor: 3_000, reversedMinor: 0 });
    }
  });
});
