import { expect, it } from 'vitest';
import { FIRST_DAY_OF, NEXT_FIRST_DAY, type StatisticsInterval } from '../../src/results/intervals.ts';

const DAY_MS = 86_400_000;
const dayOf = (date: string) => Date.parse(date) / DAY_MS;
const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

it.each<[StatisticsInterval, day: string, first: string, next: string]>([
  ['day', '2026-11-30', '2026-11-30', '2026-12-01'],
  ['week', '2026-11-29', '2026-11-23', '2026-11-30'],
  ['week', '2026-11-30', '2026-11-30', '2026-12-07'],
  ['week', '1970-01-05', '1970-01-05', '1970-01-12'],
  ['month', '2026-11-30', '2026-11-01', '2026-12-01'],
  ['month', '2026-12-31', '2026-12-01', '2027-01-01'],
  ['month', '2028-02-29', '2028-02-01', '2028-03-01'],
])('the %s of %s starts on %s, and the next one on %s', (interval, day, first, next) => {
  const firstDay = FIRST_DAY_OF[interval](dayOf(day));
  expect([dateOf(firstDay), dateOf(NEXT_FIRST_DAY[interval](firstDay))]).toEqual([first, next]);
});
