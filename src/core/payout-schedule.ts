import { DAY_MS } from './time.ts';
/** When the server starts payouts by itself: never, or at the begin (UTC) of each day, Monday or month. */
export const PAYOUT_SCHEDULES = ['off', 'daily', 'weekly', 'monthly'] as const;

export type PayoutSchedule = (typeof PAYOUT_SCHEDULES)[number];

/** 1970-01-01 was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The begin of the period that `now` is in, epoch milliseconds: the last moment at which a run was due. */
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
