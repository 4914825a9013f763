import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { DAY_MS, isoDate, type Period } from '../core/time.ts';
import { validationError } from '../errors.ts';
import { requirePeriod } from '../schema/period-fields.ts';
import { FIRST_DAY_OF, type StatisticsInterval } from './intervals.ts';
import { type DayRange, sumDays } from './queries/days.ts';

/** `from` and `to` are midnights in UTC, because results are stored by day. */
export interface StatisticsQuery extends Period {
  interval: StatisticsInterval;
  programId: string | null;
  partnerId: string | null;
  linkId: string | null;
}

/** The results of one interval. Amounts in minor units by currency. */
export interface IntervalResults {
  /** The first day of the interval, such as `2026-11-30`, even when the period starts later. */
  start: string;
  clicks: number;
  leads: number;
  sales: number;
  /** The sum of the sales before refunds. */
  revenue: Record<string, number>;
  /** The commission of the sales less reversals, whenever the reversals were made. */
  earnedCommission: Record<string, number>;
}

/** Later than any day that a time can represent. */
const END_DAY = 100_000_001;

/**
 * The results of an account, a program, a partner or a link by day, ISO week or month in UTC, earliest first. Intervals
 * without results are left out. Clicks, leads and sales count for the partner who held the link at that time;
 * commission counts for the day of its sale. An id of another account has no results.
 *
 * @throws ServiceError `VALIDATION_ERROR` when the period does not end after its start, or does not consist of whole
 * days
 */
export async function findStatistics(
  service: Service,
  accountId: AccountId,
  { interval, from, to, ...filters }: StatisticsQuery,
): Promise<IntervalResults[]> {
  const days = wholeDaysOf(requirePeriod({ from, to }));
  const rows = await service.database.report((tx) => sumDays(tx, accountId, filters, days));
  const intervals = new Map<number, IntervalResults>();
  for (const row of rows) {
    const firstDay = FIRST_DAY_OF[interval](row.day);
    const known = intervals.get(firstDay) ?? noResultsFrom(firstDay);
    intervals.set(firstDay, known);
    known.clicks += row.clicks;
    known.leads += row.leads;
    known.sales += row.sales;
    // a day whose sales all turned out to be duplicates has a row, but no sales
    if (row.sales === 0) continue;
    known.revenue[row.currency] = (known.revenue[row.currency] ?? 0) + row.revenue;
    known.earnedCommission[row.currency] = (known.earnedCommission[row.currency] ?? 0) + row.commission;
  }
  return [...intervals.values()].filter(({ clicks, leads, sales }) => clicks + leads + sales > 0);
}

function noResultsFrom(firstDay: number): IntervalResults {
  const start = isoDate(firstDay * DAY_MS);
  return { start, clicks: 0, leads: 0, sales: 0, revenue: {}, earnedCommission: {} };
}

/** @throws ServiceError `VALIDATION_ERROR` when an end is not the start of a day in UTC */
export function wholeDaysOf({ from, to }: Period): DayRange {
  const problems = Object.entries({ from, to })
    .filter(([, time]) => time !== null && time % DAY_MS !== 0)
    .map(([path]) => ({ path, message: 'must be the start of a day in UTC; results are kept by day' }));
  if (problems.length > 0) throw validationError(problems);
  return { fromDay: (from ?? 0) / DAY_MS, toDay: to === null ? END_DAY : to / DAY_MS };
}
