import type { Query } from '../../../parts/api.ts';
import { addDays, utcDay } from '../../../parts/time.ts';
import { daysOf } from '../../data/period.ts';

export const PERIODS = [
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['last-month', 'Last month'],
  ['12m', '12 months'],
] as const;

export type PeriodName = (typeof PERIODS)[number][0];

/**
 * The period that ends today, or with last month, in UTC. Whole days, so that the request stays the same all day, and
 * whole intervals, because the first part of one would look like a slump.
 */
export function periodOf(name: PeriodName, now: number): NonNullable<Query<'getStatistics'>> {
  const to = addDays(utcDay(now), 1);
  if (name === '12m') {
    const today = new Date(now);
    const firstDay = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 11, 1);
    return { from: utcDay(firstDay), to, interval: 'month' };
  }
  const days = name === '90d' ? { from: addDays(to, -90), to } : daysOf(name, now);
  return { ...(days ?? { from: addDays(to, -30), to }), interval: 'day' };
}
