import { describe, expect, it } from 'vitest';
import { type EntryGroup, earningsFrom, isWorthPaying, placeOf, sumEarnings } from '../../src/core/payout.ts';

describe('the state of an entry', () => {
  it.each([
    [null, false, 'held'],
    [null, true, 'payable'],
    ['processing', true, 'payable'],
    ['processing', false, 'payable'],
    ['held', true, 'payable'],
    ['held', false, 'payable'],
    ['paid', true, 'paid'],
    ['paid', false, 'paid'],
  ] as const)('in a payout that is %s, due: %s, is %s', (payoutStatus, isDue, place) => {
    expect(placeOf({ payoutStatus, isDue })).toBe(place);
  });
});

it.each([
  [0, undefined, false],
  [-5, undefined, false],
  [1, undefined, true],
  [1, 0, true],
  [4999, 5000, false],
  [5000, 5000, true],
  [0, 0, false],
])('%i with a minimum of %s is worth paying: %s', (amount, minimum, worth) => {
  expect(isWorthPaying(amount, minimum)).toBe(worth);
});

describe('earnings', () => {
  const group = (kind: EntryGroup['kind'], amountMinor: number, more: Partial<EntryGroup> = {}): EntryGroup => {
    return { currency: 'usd', kind, amountMinor, payoutStatus: null, isDue: true, ...more };
  };

  it('are one item per currency, in which earned less reversed equals held plus payable plus paid', () => {
    const groups = [
      group('commission', 3_000, { payoutStatus: 'paid' }),
      group('commission', 1_000, { isDue: false }),
      group('reversal', -500),
      group('dispute_hold', -300),
      group('dispute_release', 100),
      group('adjustment', 250),
      group('commission', 70, { currency: 'eur', payoutStatus: 'processing' }),
    ];
    expect(earningsFrom(groups)).toEqual([
      { currency: 'eur', earned: 70, reversed: 0, held: 0, payable: 70, paid: 0 },
      { currency: 'usd', earned: 4_250, reversed: 700, held: 1_000, payable: -450, paid: 3_000 },
    ]);
  });

  it('are sorted by currency', () => {
    const groups = ['usd', 'chf', 'gbp', 'eur'].map((currency) => group('commission', 100, { currency }));
    expect(earningsFrom(groups).map(({ currency }) => currency)).toEqual(['chf', 'eur', 'gbp', 'usd']);
  });

  it('of several parts are added up by currency', () => {
    const part = (currency: string, size: number) => {
      return { currency, earned: 10 * size, reversed: size, held: 2 * size, payable: 3 * size, paid: 4 * size };
    };
    const parts = [part('usd', 1), part('chf', 10), part('usd', 100), part('eur', 1_000), part('chf', 2)];
    expect(sumEarnings(parts)).toEqual([part('chf', 12), part('eur', 1_000), part('usd', 101)]);
  });

  it('are empty without entries', () => {
    expect(earningsFrom([])).toEqual([]);
  });
});
