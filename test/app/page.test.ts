import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageInput, pageOf } from '../../src/app/page.ts';
import { createId } from '../../src/ids.ts';
import { parseInput } from '../../src/schema/parse.ts';
import type { PageBounds } from '../../src/storage/list-filters.ts';

function newestFirst(ids: readonly string[]) {
  const sorted = ids.toSorted().toReversed();
  return async ({ limit, beforeId }: PageBounds) =>
    sorted
      .filter((id) => id < beforeId)
      .slice(0, limit)
      .map((id) => ({ id }));
}

describe('a list', () => {
  it('shows every row once, newest first, whatever the page size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 15 }), async (count, limit) => {
        const ids = Array.from({ length: count }, () => createId('ptr'));
        const shown: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const query = cursor === undefined ? { limit: `${limit}` } : { limit: `${limit}`, cursor };
          const page = await pageOf(parseInput(pageInput('ptr'), query), newestFirst(ids), ({ id }) => id);
          expect(page.data.length).toBeLessThanOrEqual(limit);
          shown.push(...page.data);
          cursor = page.nextCursor;
        }
        expect(shown).toEqual(ids.toSorted().toReversed());
      }),
    );
  });

  it('goes on behind the last row shown, even if its id is later than the period', async () => {
    const cursor = createId('ptr');
    const query = { ...parseInput(pageInput('ptr'), { cursor }), to: Date.now() - 7_200_000 };
    const asked: string[] = [];
    const find = async ({ beforeId }: PageBounds): Promise<{ id: string }[]> => {
      asked.push(beforeId);
      return [];
    };
    await pageOf(query, find, ({ id }) => id);
    expect(asked).toEqual([cursor]);
  });

  it('has 20 rows per page by default, and 1 to 100 on request', () => {
    const limitOf = (query: object) => parseInput(pageInput('ptr'), query).limit;
    expect(limitOf({})).toBe(20);
    expect(limitOf({ limit: '1' })).toBe(1);
    expect(limitOf({ limit: '100' })).toBe(100);
  });

  it.each(['0', '101', '-1', '1.5', '1e1', '', 'all'])('refuses a limit of %j', (limit) => {
    expect(() => parseInput(pageInput('ptr'), { limit })).toThrow('limit: must be a whole number from 1 to 100');
  });

  it('refuses a repeated parameter', () => {
    expect(() => parseInput(pageInput('ptr'), { limit: ['1', '2'] })).toThrow('limit: must be one value, not a list');
  });

  it.each(['', 'ptr_', 'x', `lnk_${'0'.repeat(32)}`, `ptr_${'0'.repeat(31)}'`])('refuses %j as a cursor', (cursor) => {
    expect(() => parseInput(pageInput('ptr'), { cursor })).toThrow('cursor: must be the nextCursor');
  });
});
