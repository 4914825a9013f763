import { describe, expect, it } from 'vitest';
import { distinctRefunds, mergeRefund, type RefundRecord, type StoredRefund } from '../../src/core/refund-report.ts';

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

describe('two reports of one refund in one currency', () => {
  const inDollars = { ...byCaller, currency: 'usd' };

  it.each([
    ['the caller', inDollars, byProcessor],
    ['the processor', byProcessor, inDollars],
  ])("have the processor's amounts and lines when %s is first", (_, first, second) => {
    expect(mergeRefund(first, second)).toEqual(byProcessor);
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
});
