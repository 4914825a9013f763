import { HOUR_MS } from '../../core/time.ts';
import type { TransferResult } from '../../rails/contract/transfer.ts';
import type { TransferRow } from '../queries/transfers.ts';

/** Providers know for a day under which key a payment was ordered: so long, the same order is made once. */
const ORDER_MS_MAX = 23 * HOUR_MS;
/** What is left of the day: a clock may have been set back by so much. */
const CLOCK_MS_MAX = HOUR_MS;
/** So long, the payment is only looked for. */
const LOOK_MS_MAX = 47 * HOUR_MS;
const FIRST_PAUSE_MS = 2_000;
const PAUSE_MS_MAX = 600_000;

type Waiting = Pick<TransferRow, 'status' | 'createdAt' | 'firstAttemptAt'>;

/** False once the provider may have forgotten the order, so that it would make a second payment. */
export function mayOrder({ status, firstAttemptAt }: Waiting, now: number): boolean {
  if (status !== 'sending') return false;
  return firstAttemptAt === null || (now > firstAttemptAt - CLOCK_MS_MAX && now < firstAttemptAt + ORDER_MS_MAX);
}

/**
 * What follows an attempt that nobody knows the result of: another one, or the end of patience. That is no failure even
 * of what was never ordered: the database may be a backup that is older than the order.
 */
export function afterUnknown(
  { status, createdAt, firstAttemptAt }: Waiting,
  { reason, retryAfterSeconds }: Extract<TransferResult, { outcome: 'unknown' }>,
  now: number,
): { dueAt: number | null } | Exclude<TransferResult, { outcome: 'unknown' }> {
  // looked for because a person asked, who may ask again
  if (status === 'held') return { dueAt: null };
  const passed = Math.max(0, now - (firstAttemptAt ?? createdAt));
  const held = (why: string) => ({ outcome: 'contradicted' as const, reason: `${why}: ${reason}`, transferId: null });
  if (firstAttemptAt === null && passed >= ORDER_MS_MAX) return held('Nothing was ordered here within a day');
  if (passed >= LOOK_MS_MAX) return held('It is not known whether the payment was made');
  const asked = (retryAfterSeconds ?? 0) * 1_000;
  return { dueAt: now + Math.min(PAUSE_MS_MAX, Math.max(FIRST_PAUSE_MS, Math.ceil(passed / 4), asked)) };
}
