import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { DAY_MS, isoDate } from '../core/time.ts';
import { requireExact, validationError } from '../errors.ts';
import { FIRST_DAY_OF, NEXT_FIRST_DAY, type StatisticsInterval } from './intervals.ts';
import type { DayRange } from './queries/days.ts';
import type { Statistics, StatisticsRouteQuery, StatisticsTotals } from './schemas.ts';
import { findStatistics, type IntervalResults, wholeDaysOf } from './statistics.ts';

const DAYS_DEFAULT = 30;
const INTERVALS_MAX = 400;
/** The first day after those with a year of four digits, as days since 1970. */
const END_DAY = Date.UTC(10_000, 0) / DAY_MS;

/**
 * The results of a period interval by interval, including empty ones, with the totals of the period and of the same
 * number of days before it. The default is the last 30 days in UTC, including today. Amounts are sorted by currency.
 *
 * @throws ServiceError `VALIDATION_ERROR` like `findStatistics`, and for more than 400 intervals; `INVALID_STATE` when
 * a sum is beyond 2^53
 */
export async function reportStatistics(
  service: Service,
  accountId: AccountId,
  { interval, from, to, ...filters }: StatisticsRouteQuery,
): Promise<Statistics> {
  const end = to ?? (Math.floor((from ?? service.clock()) / DAY_MS) + (from === null ? 1 : DAYS_DEFAULT)) * DAY_MS;
  const start = from ?? end - DAYS_DEFAULT * DAY_MS;
  const days = wholeDaysOf({ from: start, to: end });
  const starts = startsOf(interval, days);
  const length = end - start;
  const before = { from: start - length, to: start };
  // there are no sums before 1970
  const [found, previous] = await Promise.all([
    findStatistics(service, accountId, { ...filters, interval, from: start, to: end }),
    findStatistics(service, accountId, { ...filters, interval: 'month', ...before }),
  ]);
  const byStart = new Map(found.map((results) => [results.start, results]));
  return {
    from: dayOf(days.fromDay),
    to: dayOf(days.toDay),
    data: starts.map((day) => ({ start: day, ...totalsOf([byStart.get(day)].filter((one) => one !== undefined)) })),
    totals: totalsOf(found),
    previous: totalsOf(previous),
  };
}

/**
 * The first day of each interval that has a part in these days (days since 1970, UTC), such as `2026-11-30`.
 *
 * @throws ServiceError `VALIDATION_ERROR` for more than 400 intervals, and for days before 1970 or after 9999
 */
export function startsOf(interval: StatisticsInterval, { fromDay, toDay }: DayRange): string[] {
  if (fromDay < 0) throw validationError([{ path: 'from', message: 'must be 1970-01-01 or later' }]);
  if (toDay >= END_DAY) throw validationError([{ path: 'to', message: 'must be 9999-12-31 or earlier' }]);
  const starts: string[] = [];
  for (let day = FIRST_DAY_OF[interval](fromDay); day < toDay; day = NEXT_FIRST_DAY[interval](day)) {
    if (starts.length === INTERVALS_MAX) {
      const message = `must give at most ${INTERVALS_MAX} intervals; shorten the period, or ask for weeks or months`;
      throw validationError([{ path: 'interval', message }]);
    }
    starts.push(dayOf(day));
  }
  return starts;
}

function dayOf(day: number): string {
  return isoDate(day * DAY_MS);
}

/** What the results of these intervals add up to. @throws ServiceError `INVALID_STATE` when a sum is beyond 2^53 */
export function totalsOf(results: readonly IntervalResults[]): StatisticsTotals {
  const sum = (name: 'clicks' | 'leads' | 'sales') => results.reduce((total, one) => total + one[name], 0);
  return {
    clicks: sum('clicks'),
    leads: sum('leads'),
    sales: sum('sales'),
    revenue: addAmounts(results.map(({ revenue }) => revenue)),
    commission: addAmounts(results.map(({ earnedCommission }) => earnedCommission)),
  };
}

function addAmounts(amounts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  const currencies = new Set(amounts.flatMap((one) => Object.keys(one)));
  for (const currency of [...currencies].sort()) {
    total[currency] = amounts.reduce((sum, one) => sum + (one[currency] ?? 0), 0);
  }
  requireExact(Object.values(total));
  return total;
}
