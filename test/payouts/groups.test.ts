import { expect, it } from 'vitest';
import { type Candidate, groupsOf } from '../../src/payouts/candidates.ts';
import { asId } from '../helpers/ids.ts';

/** The sizes of the groups in which payouts with so many entries are started. */
async function groupSizes(...entryCounts: number[]): Promise<number[][]> {
  async function* candidates(): AsyncGenerator<Candidate> {
    for (const entryCount of entryCounts) {
      const ids = { id: asId<'pay'>('pay_1'), programId: asId<'prg'>('prg_1'), partnerId: asId<'ptr'>('ptr_1') };
      const collected = { collectingAt: null, collectedAmount: 0, collectedCount: 0, minimumMinor: undefined };
      yield { ...ids, ...collected, partnerName: 'Ada', currency: 'usd', entryCount, due: { amount: 1, entryCount } };
    }
  }
  const groups: number[][] = [];
  for await (const group of groupsOf(candidates())) groups.push(group.map(({ due }) => due.entryCount));
  return groups;
}

it.each([
  ['none', [], []],
  ['one', [10], [[10]]],
  ['six small ones', [1, 2, 3, 4, 5, 6], [[1, 2, 3, 4, 5, 6]]],
  [
    'eight small ones',
    [1, 2, 3, 4, 5, 6, 7, 8],
    [
      [1, 2, 3, 4, 5, 6],
      [7, 8],
    ],
  ],
  ['250 entries in two', [100, 150], [[100, 150]]],
  ['251 entries in two', [100, 151], [[100], [151]]],
  ['a large one between small ones', [10, 1_000, 20, 30], [[10], [1_000], [20, 30]]],
  ['a large one first', [1_000, 10], [[1_000], [10]]],
  ['small ones after a full group', [200, 60, 190, 1], [[200], [60, 190], [1]]],
])(
  'a run that starts %s starts each payout once, in groups of at most six and 250 entries',
  async (_, counts, groups) => {
    expect(await groupSizes(...counts)).toEqual(groups);
  },
);
