import { describe, expect, it } from 'vitest';
import { entriesFor } from '../../src/core/ledger.ts';

const ledger = (commissionMinor: number, reversalMinor = 0, holdMinor = 0) => ({
  commissionMinor,
  reversalMinor,
  holdMinor,
});
const target = (reversedMinor: number, heldMinor = 0) => ({ reversedMinor, heldMinor });

describe('the entries that bring a ledger in line', () => {
  it.each([
    ['nothing to do', ledger(2_000, -500), target(500), []],
    ['a first reversal', ledger(2_000), target(500), [['reversal', -500]]],
    ['a further reversal', ledger(2_000, -500), target(2_000), [['reversal', -1_500]]],
    ['a refund that was undone', ledger(2_000, -500), target(0), [['reversal', 500]]],
    ['an opened dispute', ledger(2_000), target(0, 2_000), [['dispute_hold', -2_000]]],
    ['a dispute that was won', ledger(2_000, 0, -2_000), target(0), [['dispute_release', 2_000]]],
    [
      'a lost dispute: released first, then reversed',
      ledger(2_000, 0, -2_000),
      target(2_000),
      [
        ['dispute_release', 2_000],
        ['reversal', -2_000],
      ],
    ],
    [
      'a refund inside a dispute takes the place of its hold',
      ledger(2_000, 0, -2_000),
      target(800, 1_200),
      [
        ['dispute_release', 800],
        ['reversal', -800],
      ],
    ],
  ])('%s', (_, before, after, entries) => {
    expect(entriesFor(before, after).map(({ kind, amountMinor }) => [kind, amountMinor])).toEqual(entries);
  });

  it.each([target(2_001), target(1_500, 501), target(-1), target(0, -1)])(
    '%j of a commission of 2000 is a bug',
    (wrong) => {
      expect(() => entriesFor(ledger(2_000), wrong)).toThrow('do not fit');
    },
  );
});
