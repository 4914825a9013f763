import type { Query } from '../../../parts/api.ts';
import { addDays, utcDay } from '../../../parts/time.ts';

export const PERIODS = [
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['12m', '12 months'],
] as const;

export type PeriodName = (typeof PERIODS)[number][0];

/** The period that ends today, in UTC. Whole days, so that the request stays the same all day. */
export function periodOf(name: PeriodName, now: number): NonNullable<Query<'getStatistics'>> {
  const to = addDays(utcDay(now), 1);
  if (name === '12m') {
    const today = new Date(now);
    const firstDay = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 11, 1);
    return { from: utcDay(firstDay), to, interval: 'month' };
  }
  const days = name === '7d' ? 7 : name === '90d' ? 90 : 30;
  return { from: addDays(to, -days), to, interval: name === '90d' ? 'week' : 'day' };
}
