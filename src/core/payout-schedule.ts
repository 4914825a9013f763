import { DAY_MS } from './time.ts';

/** When the server runs payouts automatically: never, or at the start (UTC) of each day, each Monday or each month. */
export const PAYOUT_SCHEDULES = ['off', 'daily', 'weekly', 'monthly'] as const;

export type PayoutSchedule = (typeof PAYOUT_SCHEDULES)[number];

/** 1970-01-01 was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The start of the current period in epoch milliseconds, which is when the latest run was due. */
export function lastDueAt(schedule: Exclude<PayoutSchedule, 'off'>, now: number): number {
  switch (schedule) {
    case 'daily':
      return now - (now % DAY_MS);
    case 'weekly':
      return now - ((now - FIRST_MONDAY_MS) % (7 * DAY_MS));
    case 'monthly': {
      const date = new Date(now);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
    }
  }
}

/** The start of the period after the one that begins at `dueAt`. */
export function nextDueAt(schedule: Exclude<PayoutSchedule, 'off'>, dueAt: number): number {
  // 31 days after the start of a month, the next one has begun, and has not ended
  const days = { daily: 1, weekly: 7, monthly: 31 }[schedule];
  return lastDueAt(schedule, dueAt + days * DAY_MS);
}
