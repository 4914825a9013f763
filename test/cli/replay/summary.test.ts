import { describe, expect, it } from 'vitest';
import { type Expectation, isExpected, parseExpectation } from '../../../src/cli/replay/expectation.ts';
import { formatSummary, summaryOf } from '../../../src/cli/replay/summary.ts';

function expectation(...words: string[]): Expectation {
  const parsed = parseExpectation(words);
  if (parsed === null) throw new Error(`${words} is no expectation`);
  return parsed;
}

function answer(outcome: string, ms: number, status: number | null = 200) {
  return { status, outcome, ms, reason: null };
}

describe('what is expected of a replay', () => {
  it('is any success by default', () => {
    expect(isExpected(expectation(), { status: 200, outcome: 'unknown' })).toBe(true);
    expect(isExpected(expectation(), { status: 401, outcome: 'rejected' })).toBe(false);
    expect(isExpected(expectation(), { status: null, outcome: 'unreachable' })).toBe(false);
  });

  it('is an outcome, or a status', () => {
    expect(isExpected(expectation('sale', 'duplicate'), { status: 200, outcome: 'duplicate' })).toBe(true);
    expect(isExpected(expectation('sale'), { status: 200, outcome: 'duplicate' })).toBe(false);
    expect(isExpected(expectation('rejected'), { status: 401, outcome: 'rejected' })).toBe(true);
    expect(isExpected(expectation('503'), { status: 503, outcome: '503' })).toBe(true);
  });

  it.each(['sold', 'sale=', 'sale=x', '20', ''])('is not %j', (word) => {
    expect(parseExpectation([word])).toBeNull();
  });
});

describe('the summary of a replay', () => {
  it('counts per outcome, the most frequent first, with percentiles by nearest rank', () => {
    const answers = [answer('sale', 40), ...Array.from({ length: 99 }, (_, index) => answer('duplicate', index + 1))];
    const summary = summaryOf(answers, expectation('sale=1', 'duplicate=99'), 2_000);
    expect(summary).toMatchObject({ deliveries: 100, unexpected: 0, missed: [], seconds: 2, perSecond: 50 });
    expect(summary.outcomes).toEqual([
      { outcome: 'duplicate', count: 99, p50Ms: 50, p99Ms: 99 },
      { outcome: 'sale', count: 1, p50Ms: 40, p99Ms: 40 },
    ]);
    expect(formatSummary(summary)).toMatch(/^outcome +count +p50 ms +p99 ms\nduplicate +99 +50 +99\nsale +1 +40 +40\n/);
  });

  it('reports unexpected answers, and counts that were not met', () => {
    const summary = summaryOf([answer('sale', 1), answer('rejected', 1, 401)], expectation('sale=2'), 10);
    expect(summary.unexpected).toBe(1);
    expect(summary.missed).toEqual(['sale: 1 instead of 2']);
    expect(formatSummary(summary)).toContain('sale: 1 instead of 2');
  });

  it('counts a status whatever the outcomes are', () => {
    const answers = [answer('sale', 1), answer('duplicate', 1), answer('rejected', 1, 401)];
    expect(summaryOf(answers, expectation('200=2', '401=1'), 10)).toMatchObject({ unexpected: 0, missed: [] });
    expect(summaryOf(answers, expectation('200', '401=0'), 10).missed).toEqual(['401: 1 instead of 0']);
  });
});
