import { describe, expect, it } from 'vitest';
import { groupPartners } from '../../src/audit/partner-ranges.ts';
import type { Database } from '../../src/storage/database.ts';
import { asId } from '../helpers/ids.ts';

const accountId = asId<'acc'>('acc_1');

/** The groups of partners with these numbers of sums, as texts of half-open ranges of ids. */
async function groupsOf(sums: readonly number[], limits: { perGroup: number; perPiece: number }) {
  const partners = sums.map((count, number) => ({ id: `ptr_${1_000 + number}`, sums: count }));
  const database = { report: (unit: (tx: null) => unknown) => unit(null) } as unknown as Database;
  const countSums = async (_: unknown, { afterId, limit }: { afterId: string; limit: number }) =>
    partners.filter(({ id }) => id > afterId).slice(0, limit);
  const groups = await groupPartners(database, accountId, countSums, limits);
  const text = ({ afterPartnerId, lastPartnerId }: { afterPartnerId: string; lastPartnerId: string }) =>
    `${afterPartnerId}–${lastPartnerId}`;
  return groups.map(({ range, pieces }) => [text(range), pieces.map(text)]);
}

describe('the groups of partners', () => {
  it('are one, from before the first id to after the last, when all fit', async () => {
    expect(await groupsOf([], { perGroup: 10, perPiece: 5 })).toEqual([['–zzzzzzzz', ['–zzzzzzzz']]]);
    expect(await groupsOf([2, 3], { perGroup: 10, perPiece: 5 })).toEqual([['–zzzzzzzz', ['–zzzzzzzz']]]);
  });

  it('leave no id between them, and neither do their pieces', async () => {
    expect(await groupsOf([3, 3, 3, 3, 9, 1], { perGroup: 10, perPiece: 6 })).toEqual([
      ['–ptr_1002', ['–ptr_1001', 'ptr_1001–ptr_1002']],
      ['ptr_1002–ptr_1003', ['ptr_1002–ptr_1003']],
      ['ptr_1003–zzzzzzzz', ['ptr_1003–ptr_1004', 'ptr_1004–zzzzzzzz']],
    ]);
  });

  it('continue across pages of partners', async () => {
    const groups = await groupsOf(
      Array.from({ length: 1_200 }, () => 1),
      { perGroup: 400, perPiece: 400 },
    );
    expect(groups.map(([range]) => range)).toEqual(['–ptr_1399', 'ptr_1399–ptr_1799', 'ptr_1799–zzzzzzzz']);
  });
});
