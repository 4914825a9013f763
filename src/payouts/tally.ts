import { isoTime } from '../core/time.ts';
import { addAmounts } from './out-of-range.ts';
import type { FailedPayout, PayoutRun, RunPayout } from './schemas.ts';

/** A run may start any number of payouts; its response lists at most this many. */
const LISTED_MAX = 1_000;

/** Sums up the results of a run. */
export class Tally {
  readonly run: PayoutRun;

  constructor(at: number, dryRun: boolean) {
    this.run = { at: isoTime(at), dryRun, payoutCount: 0, entryCount: 0, totals: [], data: [], failed: [] };
  }

  add(payout: RunPayout): void {
    const { currency, amount, entryCount } = payout;
    this.run.payoutCount += 1;
    this.run.entryCount += entryCount;
    const total = this.#totalOf(currency);
    total.payoutCount += 1;
    total.entryCount += entryCount;
    total.amount = addAmounts(total.amount, amount);
    if (this.run.data.length < LISTED_MAX) this.run.data.push(payout);
  }

  addFailed(payout: FailedPayout): void {
    if (this.run.failed.length < LISTED_MAX) this.run.failed.push(payout);
  }

  #totalOf(currency: string): PayoutRun['totals'][number] {
    const known = this.run.totals.find((total) => total.currency === currency);
    if (known) return known;
    const total: PayoutRun['totals'][number] = { currency, payoutCount: 0, entryCount: 0, amount: 0 };
    this.run.totals.push(total);
    return total;
  }
}
