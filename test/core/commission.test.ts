import { describe, expect, it } from 'vitest';
import {
  availableAt,
  commissionAfter,
  commissionFor,
  NO_COMMISSION,
  type SaleTerms,
} from '../../src/core/commission.ts';
import type { Commission } from '../../src/core/terms.ts';

const DAY_MS = 86_400_000;
const AT = Date.UTC(2026, 0, 31, 10);

function terms(commission: Commission, more: Partial<SaleTerms> = {}): SaleTerms {
  return { commission, source: 'program', durationMonths: null, holdDays: 30, amountBasis: 'net', ...more };
}

const percentage = (rateBasisPoints: number): Commission => ({ type: 'percentage', rateBasisPoints });
const sale = (amountMinor: number, currency = 'usd', occurredAt = AT) => ({ amountMinor, currency, occurredAt });

describe('a percentage', () => {
  it.each([
    [1000, 'usd', 2000, 200],
    [7, 'usd', 2000, 1],
    [2, 'usd', 2000, 0],
    [3, 'usd', 2000, 1],
    [15, 'usd', 1000, 2],
    [1, 'usd', 5000, 1],
    [500, 'usd', 290, 15],
    [0, 'usd', 10_000, 0],
    [1, 'usd', 10_000, 1],
    [1, 'usd', 4999, 0],
    [1999, 'jpy', 2000, 400],
    [1, 'jpy', 2000, 0],
    [12_345, 'kwd', 1250, 1543],
    [4, 'kwd', 1250, 1],
    [1_000_000_000_000, 'usd', 3333, 333_300_000_000],
  ])('of %i %s at %i basis points is %i, rounded half up', (amount, currency, rate, commission) => {
    expect(commissionFor(sale(amount, currency), terms(percentage(rate)), null).amountMinor).toBe(commission);
  });

  it('states the rate and the source of the terms in the trace', () => {
    const { reason } = commissionFor(sale(1000), terms(percentage(290), { source: 'link' }), null);
    expect(reason).toBe('2.9% of the sale, terms of the link');
  });
});

describe('a flat commission', () => {
  const flat: Commission = { type: 'flat', amounts: { usd: 500, jpy: 100 } };

  it.each([
    [1000, 'usd', 500],
    [300, 'usd', 300],
    [0, 'usd', 0],
    [5000, 'jpy', 100],
  ])('of a sale of %i %s is %i: never more than the sale', (amount, currency, commission) => {
    expect(commissionFor(sale(amount, currency), terms(flat), null).amountMinor).toBe(commission);
  });

  it('is zero in a currency without an amount, and the trace says so', () => {
    expect(commissionFor(sale(1000, 'eur'), terms(flat), null)).toEqual({
      amountMinor: 0,
      reason: 'no flat commission is set for eur',
    });
  });
});

describe("the months in which a customer's sales earn", () => {
  const earns = (durationMonths: number | null, at: number, firstSaleAt: number | null) =>
    commissionFor(sale(1000, 'usd', at), terms(percentage(2000), { durationMonths }), firstSaleAt).amountMinor;

  it('never end for null', () => {
    expect(earns(null, AT + 10_000 * DAY_MS, AT)).toBe(200);
  });

  it('are only the first sale for 0', () => {
    expect([earns(0, AT, null), earns(0, AT, AT)]).toEqual([200, 0]);
    const { reason } = commissionFor(sale(1000), terms(percentage(2000), { durationMonths: 0 }), AT);
    expect(reason).toBe('only the first sale of a customer earns commission');
  });

  it.each([
    [Date.UTC(2026, 1, 28, 10) - 1, 200],
    [Date.UTC(2026, 1, 28, 10), 0],
  ])('end on February 28 for 1 month after January 31, to the millisecond', (at, commission) => {
    expect(earns(1, at, AT)).toBe(commission);
  });

  it('are a calendar year for 12, even across a leap day', () => {
    const first = Date.UTC(2028, 1, 29);
    expect([earns(12, Date.UTC(2029, 1, 28) - 1, first), earns(12, Date.UTC(2029, 1, 28), first)]).toEqual([200, 0]);
  });
});

it('the hold lasts whole days from the payment', () => {
  expect([availableAt(AT, 0), availableAt(AT, 30)]).toEqual([AT, AT + 30 * DAY_MS]);
});

it.each([
  ['more', 200, 1_500, 300],
  ['less', 200, 7, 1],
  ['nothing', 200, 0, 0],
  ['more, after it was refused its commission', 0, 1_500, 0],
])('a sale of 10.00 that turns out to be of %s earns by its own terms', (_, commissionAmount, amount, commission) => {
  const sold = { amount: 1_000, currency: 'usd', commissionAmount, occurredAt: AT };
  const ofFirstSales = terms(percentage(2000), { durationMonths: 0 });
  expect(commissionAfter(sold, ofFirstSales, amount)).toBe(commission);
});

it('without a commission, the largest sale earns nothing', () => {
  expect(commissionFor(sale(1_000_000_000_000), terms(NO_COMMISSION), null).amountMinor).toBe(0);
});
