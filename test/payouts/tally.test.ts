import { describe, expect, it } from 'vitest';
import { addAmounts } from '../../src/payouts/out-of-range.ts';
import type { RunPayout } from '../../src/payouts/schemas.ts';
import { Tally } from '../../src/payouts/tally.ts';

const payout = (currency: string, amount: number, entryCount: number): RunPayout => {
  return { id: 'pay_1', programId: 'prg_1', partnerId: 'ptr_1', partnerName: 'Ada', currency, amount, entryCount };
};

describe('the results of a payout run', () => {
  it('count payouts and entries, in sum and by currency', () => {
    const tally = new Tally(Date.UTC(2026, 10, 30), false);
    const payouts = [payout('usd', 5_000, 3), payout('eur', 700, 2), payout('usd', 1_200, 4)];
    for (const one of payouts) tally.add(one);
    expect(tally.run).toEqual({
      at: '2026-11-30T00:00:00.000Z',
      dryRun: false,
      payoutCount: 3,
      entryCount: 9,
      totals: [
        { currency: 'usd', payoutCount: 2, entryCount: 7, amount: 6_200 },
        { currency: 'eur', payoutCount: 1, entryCount: 2, amount: 700 },
      ],
      data: payouts,
      failed: [],
    });
  });

  it('list 1,000 payouts and as many failures, and count all payouts', () => {
    const tally = new Tally(0, true);
    const failed = { partnerId: 'ptr_1', partnerName: 'Ada', currency: 'usd', code: 'INVALID_STATE', message: '' };
    for (let count = 0; count < 1_001; count += 1) {
      tally.add(payout('usd', 10, 1));
      tally.addFailed(failed);
    }
    const { data, totals, payoutCount, entryCount } = tally.run;
    expect([data.length, tally.run.failed.length, payoutCount, entryCount]).toEqual([1_000, 1_000, 1_001, 1_001]);
    expect(totals).toEqual([{ currency: 'usd', payoutCount: 1_001, entryCount: 1_001, amount: 10_010 }]);
  });
});

it.each([
  [1, 2, 3],
  [-1, 1, 0],
  [Number.MAX_SAFE_INTEGER - 1, 1, Number.MAX_SAFE_INTEGER],
  [Number.MAX_SAFE_INTEGER, 1, null],
  [-Number.MAX_SAFE_INTEGER, -1, null],
  [null, 1, null],
  [1, null, null],
])('the amounts %s and %s are %s together', (one, other, sum) => {
  expect(addAmounts(one, other)).toBe(sum);
});
