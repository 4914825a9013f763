import { describe, expect, it } from 'vitest';
import { findLongList as findIn } from '../../adapters/contract/long-list.ts';

const findLongList = (payload: unknown) => findIn(payload, JSON.stringify(payload).length);
const listOf = (length: number): unknown[] => Array.from({ length }, () => ({ code: 'X' }));

describe('a list of a payload', () => {
  it('may have 1,000 entries, anywhere', () => {
    expect(findLongList({ data: { codes: listOf(1_000), lines: [{ taxes: listOf(1_000) }] } })).toBeNull();
  });

  it.each([
    [{ n: listOf(1_001).fill(0) }, 'n: has 1001 entries, and 1000 are read'],
    [{ discount_codes: listOf(1_001) }, 'discount_codes: has 1001 entries, and 1000 are read'],
    [{ data: { lines: [{}, { taxes: listOf(20_000) }] } }, 'data.lines.1.taxes: has 20000 entries, and 1000 are read'],
  ])('with more is reported', (payload, problem) => {
    expect(findLongList(payload)).toBe(problem);
  });

  it.each([null, 'text', 7, []])('is not found in %j', (payload) => {
    expect(findLongList(payload)).toBeNull();
  });
});
