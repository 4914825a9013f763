import type { Measurements } from '../app/metrics.ts';
import type { ProgramId } from '../core/ids.ts';
import { DAY_MS } from '../core/time.ts';
import type { Transaction } from '../storage/database.ts';
import { type DaySums, sumRecentDays } from './queries/days.ts';

const COUNTED = ['clicks', 'leads', 'sales', 'revenue'] as const;
const NOTHING = { clicks: 0, leads: 0, sales: 0, revenue: 0 };

/**
 * Turns the sums of the latest days into counters that start at the first reading. A sale that is taken back lowers its
 * day's sums, but a counter must not fall: it stays constant until the day's sum exceeds its previous maximum.
 */
export class RecentResults {
  /** The highest sums so far of each day and currency; null before the first reading. */
  #seen: Map<string, DaySums> | null = null;
  #lastDay = 0;
  #clicks = 0;
  #leads = 0;
  readonly #sales = new Map<string, { currency: string; count: number; amount: number }>();

  /**
   * All sums from the day before the latest reading on, because that reading may have missed the last seconds of that
   * day.
   */
  async read(tx: Transaction, programIds: readonly ProgramId[], now: number): Promise<DaySums[]> {
    const fromDay = (this.#seen === null ? dayOf(now) : this.#lastDay) - 1;
    const days = new Map<string, DaySums>();
    for (const programId of programIds) {
      for (const sums of await sumRecentDays(tx, programId, fromDay)) {
        const sum = days.get(keyOf(sums)) ?? { ...sums, ...NOTHING };
        for (const name of COUNTED) sum[name] += sums[name];
        days.set(keyOf(sums), sum);
      }
    }
    return [...days.values()];
  }

  /** @param days the result of `read` at that time */
  add(days: readonly DaySums[], now: number): Measurements['results'] {
    const seen = new Map<string, DaySums>();
    for (const sums of days) {
      const key = keyOf(sums);
      const before = this.#seen === null ? sums : this.#seen.get(key);
      seen.set(key, this.#count(sums, before ?? { ...sums, ...NOTHING }));
    }
    this.#seen = seen;
    this.#lastDay = dayOf(now);
    return { clicks: this.#clicks, leads: this.#leads, sales: [...this.#sales.values()] };
  }

  #count(sums: DaySums, before: DaySums): DaySums {
    const next = { ...sums };
    for (const name of COUNTED) next[name] = Math.max(sums[name], before[name]);
    this.#clicks += next.clicks - before.clicks;
    this.#leads += next.leads - before.leads;
    const { currency } = sums;
    if (currency !== '') {
      const { count, amount } = this.#sales.get(currency) ?? { count: 0, amount: 0 };
      const sale = {
        currency,
        count: count + next.sales - before.sales,
        amount: amount + next.revenue - before.revenue,
      };
      this.#sales.set(currency, sale);
    }
    return next;
  }
}

function keyOf({ day, currency }: DaySums): string {
  return `${day} ${currency}`;
}

function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}
