import { describe, expect, it } from 'vitest';
import { type GivenCode, withGivenCodes } from '../../src/core/given-codes.ts';

type Report = [givenAt: number, ...codes: string[]];

/** The codes of these reports, told in this order. */
function told(...reports: Report[]): string[] {
  let stored: readonly GivenCode[] = [];
  for (const [givenAt, ...codes] of reports) stored = withGivenCodes(stored, codes, givenAt);
  return stored.map(({ code }) => code);
}

describe('the codes given with an id', () => {
  it('are in the order in which they were given, whichever report arrives first', () => {
    const start: Report = [1, 'promo', 'coupon'];
    const change: Report = [2, 'later', 'promo'];
    expect(told(start, change)).toEqual(['promo', 'coupon', 'later']);
    expect(told(change, start)).toEqual(['promo', 'coupon', 'later']);
    expect(told(change, start, change, start)).toEqual(['promo', 'coupon', 'later']);
  });

  it('of one moment keep their places, then the order of their texts', () => {
    expect(told([1, 'b', 'a'], [1, 'c'])).toEqual(['b', 'c', 'a']);
    expect(told([1, 'c'], [1, 'b', 'a'])).toEqual(['b', 'c', 'a']);
  });

  it('are the same list when a report adds nothing', () => {
    const stored = withGivenCodes([], ['a', 'b'], 1);
    expect(withGivenCodes(stored, ['b', 'a'], 2)).toBe(stored);
    expect(withGivenCodes(stored, [], 0)).toBe(stored);
  });

  it('are the twenty earliest', () => {
    const reports = Array.from({ length: 30 }, (_, index): Report => [index, `code ${index}`]);
    const earliest = reports.slice(0, 20).map(([givenAt]) => `code ${givenAt}`);
    expect(told(...reports)).toEqual(earliest);
    expect(told(...reports.toReversed())).toEqual(earliest);
  });
});
