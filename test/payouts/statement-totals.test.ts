import { expect, it } from 'vitest';
import { StatementTotals } from '../../src/payouts/statement-totals.ts';

it('the totals of a statement count and add up each kind of entry over all pages, also beyond 2^53', () => {
  const totals = new StatementTotals();
  expect(totals.byKind()).toEqual([]);
  totals.add([
    { kind: 'adjustment', amount: -50 },
    { kind: 'commission', amount: Number.MAX_SAFE_INTEGER },
    { kind: 'commission', amount: 2_000 },
  ]);
  totals.add([
    { kind: 'commission', amount: 3_000 },
    { kind: 'reversal', amount: -700 },
  ]);
  expect(totals.byKind()).toEqual([
    { kind: 'commission', count: 3, amount: 9_007_199_254_745_991n },
    { kind: 'reversal', count: 1, amount: -700n },
    { kind: 'adjustment', count: 1, amount: -50n },
  ]);
});
