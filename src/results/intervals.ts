import { DAY_MS } from '../core/time.ts';

export const STATISTICS_INTERVALS = ['day', 'week', 'month'] as const;

export type StatisticsInterval = (typeof STATISTICS_INTERVALS)[number];

/** 1970 started on a Thursday, three days after a Monday. */
const DAYS_AFTER_MONDAY = 3;

/** The first day of the interval that contains a day, as days since 1970 (UTC). */
export const FIRST_DAY_OF: Record<StatisticsInterval, (day: number) => number> = {
  day: (day) => day,
  // as in ISO 8601, weeks start on Monday
  week: (day) => day - ((day + DAYS_AFTER_MONDAY) % 7),
  month: (day) => firstDayOfMonth(day, 0),
};

/** The first day of the interval after the one that starts on this day. */
export const NEXT_FIRST_DAY: Record<StatisticsInterval, (firstDay: number) => number> = {
  day: (firstDay) => firstDay + 1,
  week: (firstDay) => firstDay + 7,
  month: (firstDay) => firstDayOfMonth(firstDay, 1),
};

function firstDayOfMonth(day: number, monthsLater: number): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater) / DAY_MS;
}
