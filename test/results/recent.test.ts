import { expect, it } from 'vitest';
import { RecentResults } from '../../src/results/recent.ts';

const DAY_MS = 86_400_000;
const visits = (day: number, clicks: number, leads: number) => ({
  day,
  currency: '',
  clicks,
  leads,
  sales: 0,
  revenue: 0,
});
const sold = (day: number, sales: number, revenue: number) => ({
  day,
  currency: 'usd',
  clicks: 0,
  leads: 0,
  sales,
  revenue,
});

it('counters start at the first reading, grow by what was added since, and never fall', () => {
  const results = new RecentResults();
  const read = (day: number, ...days: ReturnType<typeof visits>[]) => results.add(days, day * DAY_MS);
  const usd = (count: number, amount: number) => [{ currency: 'usd', count, amount }];
  expect(read(10, visits(10, 7, 3), sold(10, 2, 5_000))).toEqual({ clicks: 0, leads: 0, sales: usd(0, 0) });
  expect(read(10, visits(10, 9, 4), sold(10, 3, 6_000))).toEqual({ clicks: 2, leads: 1, sales: usd(1, 1_000) });
  // a sale of 40.00 was taken back, and another one of 10.00 made
  expect(read(10, visits(10, 9, 4), sold(10, 3, 3_000))).toEqual({ clicks: 2, leads: 1, sales: usd(1, 1_000) });
  expect(read(10, visits(10, 9, 4), sold(10, 4, 6_500))).toEqual({ clicks: 2, leads: 1, sales: usd(2, 1_500) });
  // the next day counts from nothing
  const nextDay = [visits(10, 9, 4), visits(11, 5, 1), sold(10, 4, 6_500), sold(11, 1, 300)];
  expect(read(11, ...nextDay)).toEqual({ clicks: 7, leads: 2, sales: usd(3, 1_800) });
});
