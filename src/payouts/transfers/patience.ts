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

/** Clocks that are set by the network differ by less. */
const CLOCKS_MS_MAX = 300_000;

type Waiting = Pick<TransferRow, 'status' | 'createdAt' | 'firstAttemptAt'>;
type Ordered = Pick<TransferRow, 'status' | 'firstAttemptAt' | 'firstAttemptRailAt'>;

/** A moment by the clock of this server, and by the provider's: null if it told no time. */
export interface Moment {
  ours: number;
  rail: number | null;
}

/** `later`: it cannot be decided until the clocks agree, and both are known. */
export type OrderDecision = 'order' | 'never' | 'later';

/**
 * Never once the provider may have forgotten the first order, so that it would make a second payment. If its time is known
 * of both moments, an order follows only while both clocks say that it has not. If it is known of the first only, none
 * follows until it is told again. Otherwise this server's clock decides, unless it is known to have been wrong: what the
 * provider tells, or fails to tell, never allows an order that this clock forbids.
 */
export function decideOrder({ status, firstAttemptAt, firstAttemptRailAt }: Ordered, now: Moment): OrderDecision {
  if (status !== 'sending') return 'never';
  if (firstAttemptAt === null) return 'order';
  const first = { ours: firstAttemptAt, rail: firstAttemptRailAt };
  if (first.rail !== null && now.rail === null) return 'later';
  const isKnown = isKeyKnown(first.ours, now.ours);
  const isDoubtful =
    first.rail === null || now.rail === null
      ? clockErrorOf(first) !== 0 || clockErrorOf(now) !== 0
      : isKeyKnown(first.rail, now.rail) !== isKnown;
  if (isDoubtful) return 'later';
  return isKnown ? 'order' : 'never';
}

const isKeyKnown = (firstAt: number, now: number) => now > firstAt - CLOCK_MS_MAX && now < firstAt + ORDER_MS_MAX;

/** By how many milliseconds this server's clock is ahead of the provider's; 0 if by minutes at most, or if that is not known. */
export function clockErrorOf({ ours, rail }: Moment): number {
  const aheadMs = rail === null ? 0 : ours - rail;
  return Math.abs(aheadMs) > CLOCKS_MS_MAX ? aheadMs : 0;
}

/** Why nothing is ordered for now, after the decision `later`. */
export function orderedLater(rail: string, now: Moment): Extract<TransferResult, { outcome: 'unknown' }> {
  const postponed = { outcome: 'unknown' as const, retryAfterSeconds: PAUSE_MS_MAX / 1_000 };
  if (now.rail === null) {
    const reason =
      `The answers of ${rail} no longer tell the time, as they did at the first order, so nothing is ordered again ` +
      `until they do: check whether something between this server and ${rail} removes the header Date`;
    return { ...postponed, reason };
  }
  const reason =
    `The clocks of this server and of ${rail} disagree on when it was first ordered, so nothing is ordered again: ` +
    "check this server's clock";
  return { ...postponed, reason, hindrance: 'clock' };
}

/** How long the provider is asked before the payout is held, in epoch milliseconds. */
export function askedUntil({ createdAt, firstAttemptAt }: Omit<Waiting, 'status'>): number {
  return firstAttemptAt === null ? createdAt + ORDER_MS_MAX : firstAttemptAt + LOOK_MS_MAX;
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
  if (now >= askedUntil({ createdAt, firstAttemptAt })) {
    const isOrdered = firstAttemptAt !== null;
    return held(isOrdered ? 'It is not known whether the payment was made' : 'Nothing was ordered here within a day');
  }
  const asked = (retryAfterSeconds ?? 0) * 1_000;
  return { dueAt: now + Math.min(PAUSE_MS_MAX, Math.max(FIRST_PAUSE_MS, Math.ceil(passed / 4), asked)) };
}
