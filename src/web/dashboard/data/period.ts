import { addDays, utcDay } from '../../parts/time.ts';

/** The most requested periods; each ends today, so that a saved view moves with time. */
export const PERIODS = [
  ['today', 'Today'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['month', 'This month'],
  ['last-month', 'Last month'],
  ['year', 'This year'],
] as const;

/** What is wrong with a period that `daysOf` cannot read. */
export const PERIOD_PROBLEM = `must be one of ${PERIODS.map(([name]) => name).join(', ')}, or days such as 2026-11-01..2026-11-15`;

/** Whole days in UTC, `from` included and `to` excluded: `2026-11-01`. */
export interface Days {
  from: string;
  to: string;
}

/** After this day, years have more than four digits. */
const LAST_DAY = '9999-12-31';

/** The days of a named period, or of `2026-11-01..2026-11-15`, whose last day is included; null for anything else. */
export function daysOf(period: string | undefined, now: number): Days | null {
  const today = utcDay(now);
  const to = addDays(today, 1);
  const month = `${today.slice(0, 7)}-01`;
  switch (period) {
    case 'today':
      return { from: today, to };
    case '7d':
      return { from: addDays(to, -7), to };
    case '30d':
      return { from: addDays(to, -30), to };
    case 'month':
      return { from: month, to };
    case 'last-month':
      return { from: `${addDays(month, -1).slice(0, 7)}-01`, to: month };
    case 'year':
      return { from: `${today.slice(0, 4)}-01-01`, to };
  }
  const [from = '', last = '', ...rest] = (period ?? '').split('..');
  const isRange = rest.length === 0 && isDay(from) && isDay(last) && from <= last && last < LAST_DAY;
  return isRange ? { from, to: addDays(last, 1) } : null;
}

/** The inverse of `daysOf` for a custom range; both days are included. */
export function customPeriod(from: string, last: string): string {
  return `${from}..${last}`;
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // some parsers read 31 November as 1 December
  return !Number.isNaN(time) && utcDay(time) === text;
}

/** `Last 7 days`, `1 – 15 Nov 2026`; null without a period. */
export function periodInWords(period: string | undefined, now: number, language?: string): string | null {
  const words = PERIODS.find(([name]) => name === period)?.[1];
  const days = daysOf(period, now);
  if (words !== undefined || days === null) return words ?? null;
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
  return format.formatRange(new Date(days.from), new Date(addDays(days.to, -1)));
}

/** The query of a list, from the filters in the address: a period becomes its days; the server refuses any other text. */
export function queryOf<Values extends { period?: string }>({
  period,
  ...filters
}: Values): Omit<Values, 'period'> & Partial<Days> {
  if (period === undefined) return filters;
  return { ...filters, ...(daysOf(period, Date.now()) ?? { from: period, to: period }) };
}
