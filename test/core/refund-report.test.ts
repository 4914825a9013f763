import { describe, expect, it } from 'vitest';
import {
  distinctRefunds,
  hasFailed,
  idsInParts,
  mergeRefund,
  type RefundRecord,
  type StoredRefund,
  takesTheSame,
} from '../../src/core/refund-report.ts';

const lines = [{ lineId: 'kit', quantity: 1, amountMinor: 4_860, commissionableMinor: 4_500 }];
const byCaller: RefundRecord = {
  amount: 3_740,
  commissionable: null,
  lines: [],
  currency: 'eur',
  isFromCaller: true,
  isByShare: false,
  refundedAt: 2,
  failedAt: null,
};
const byProcessor: RefundRecord = {
  ...byCaller,
  amount: 5_610,
  commissionable: 4_500,
  lines,
  currency: 'usd',
  isFromCaller: false,
  refundedAt: 1,
};
const failure: RefundRecord = {
  ...byProcessor,
  amount: null,
  commissionable: null,
  lines: [],
  refundedAt: null,
  failedAt: 3,
};

it.each([
  [null, null, false],
  [1, null, false],
  [null, 1, true],
  [1, 2, true],
  [2, 2, false],
  [3, 2, false],
])('a refund that succeeded at %s and failed at %s has failed: %s', (refundedAt, failedAt, failed) => {
  expect(hasFailed({ refundedAt, failedAt })).toBe(failed);
});

describe('two reports of one refund in one currency', () => {
  const inDollars = { ...byCaller, currency: 'usd' };

  it.each([
    ['the caller', inDollars, byProcessor],
    ['the processor', byProcessor, inDollars],
  ])("have the processor's amounts and lines when %s is first", (_, first, second) => {
    expect(mergeRefund(first, second)).toEqual(byProcessor);
  });

  it.each([
    ["the caller's", inDollars],
    ["the processor's", byProcessor],
  ])('have %s amounts next to a failure without one, in either order', (_, report) => {
    const { refundedAt } = mergeRefund(report, report);
    for (const merged of [mergeRefund(failure, report), mergeRefund(report, failure)]) {
      expect(merged).toEqual({ ...report, refundedAt, failedAt: 3 });
    }
  });

  it('have the first amount when both are from the caller', () => {
    const { amount } = inDollars;
    expect(mergeRefund(inDollars, { ...inDollars, amount: 6_000 })).toMatchObject({ amount, isFromCaller: true });
  });

  it('have the greater amount, and only the goods in it, when both are from the processor', () => {
    const part = { ...byProcessor, amount: 2_000, commissionable: null, lines: [], refundedAt: 5 };
    for (const merged of [mergeRefund(byProcessor, part), mergeRefund(part, byProcessor)]) {
      expect(merged).toEqual({ ...byProcessor, refundedAt: 5 });
    }
    const rest = { ...byProcessor, amount: 9_000, commissionable: null, lines: [] };
    for (const merged of [mergeRefund(byProcessor, rest), mergeRefund(rest, byProcessor)]) expect(merged).toEqual(rest);
  });

  it('have the greater amount, as a share of the gross, of what was booked so', () => {
    const booked = { ...byProcessor, commissionable: null, lines: null, isByShare: true };
    expect(mergeRefund(booked, { ...byProcessor, amount: 6_000 })).toEqual({ ...booked, amount: 6_000 });
  });

  it("have the processor's amount, as a share of the gross, of what was booked so", () => {
    const booked = { ...inDollars, lines: null, isByShare: true };
    const { amount, isFromCaller } = byProcessor;
    expect(mergeRefund(booked, byProcessor)).toEqual({ ...booked, amount, isFromCaller });
  });
});

describe('two reports of one refund in two currencies', () => {
  it.each([
    ['the caller', byCaller, byProcessor],
    ['the processor', byProcessor, byCaller],
  ])("have the processor's amounts and lines when %s is first", (_, first, second) => {
    expect(mergeRefund(first, second)).toEqual(byProcessor);
  });

  it.each([
    ['the caller', byCaller, failure],
    ['the failure', failure, byCaller],
  ])("have the caller's amount next to a failure without one, when %s is first", (_, first, second) => {
    expect(mergeRefund(first, second)).toEqual({ ...byCaller, refundedAt: null, failedAt: 3 });
  });

  it('keep what was booked before refunds stated their part', () => {
    const booked = { ...byCaller, lines: null, isByShare: true };
    expect(mergeRefund(booked, byProcessor)).toEqual(booked);
  });
});

describe('reports of one refund under the names of several processors', () => {
  const reportOf = (processor: string, amount: number | null, deliveryId: string | null = 'dlv_1'): StoredRefund => {
    const { isByShare: _, ...refund } = { ...byProcessor, amount, processor, kind: 'refund', refundKey: 're_1' };
    return { ...refund, failed: false, deliveryId, occurredAt: 1 };
  };
  const [unknown, first, second, own] = [
    reportOf('paddle', null),
    reportOf('shopify', 50),
    reportOf('stripe', 60),
    // the caller's, who named another processor
    reportOf('lemon-squeezy', 70, null),
  ] as const;

  it.each([
    [[unknown, first, second, own]],
    [[unknown, second, first, own]],
    [[own, second, unknown, first]],
    [[first, own, second, unknown]],
  ])('are the same refund in whichever order they are read', (reports) => {
    expect(distinctRefunds(reports)).toEqual([{ ...unknown, amount: 50 }]);
  });

  it('have succeeded and failed at the latest time of each, and were made at the earliest', () => {
    const failed = { ...first, refundedAt: 1, failedAt: 5, failed: true, occurredAt: 2 };
    const succeeded = { ...own, refundedAt: 4, occurredAt: 1 };
    const merged = { ...failed, refundedAt: 4, occurredAt: 1 };
    expect(distinctRefunds([failed, succeeded])).toEqual([merged]);
    expect(distinctRefunds([failed, { ...succeeded, refundedAt: 5 }])).toEqual([
      { ...merged, refundedAt: 5, failed: false },
    ]);
  });
});

it('a refund of Shopify in two currencies is in parts, and nothing else is', () => {
  const keys = ['gid://shopify/Refund/1#eur', 'gid://shopify/Refund/1#usd', 'gid://shopify/Refund/2', 're_1#eur'];
  expect(idsInParts(keys.map((refundKey) => ({ refundKey })))).toEqual(new Set(['gid://shopify/Refund/1']));
});

it.each<[difference: string, same: boolean, change: Partial<RefundRecord>]>([
  ['nothing', true, {}],
  ['the time', true, { refundedAt: 2 }],
  ['the amount', false, { amount: 5_609 }],
  ['the currency', false, { currency: 'eur' }],
  ['the commissionable part', false, { commissionable: 4_499 }],
  ['the number of lines', false, { lines: [] }],
  ['a failure', false, { failedAt: 3 }],
])('two reports that differ in %s take the same: %s', (_, same, change) => {
  expect(takesTheSame(byProcessor, { ...byProcessor, ...change })).toBe(same);
});
