import { DAY_MS, HOUR_MS } from './time.ts';

/** What an account can be told about. A payout is never held yet, so there is no type for it. */
export const EVENT_TYPES = [
  'lead.created',
  'sale.created',
  'sale.refunded',
  'sale.disputed',
  'sale.approved',
  'commission.created',
  'payout.queued',
  'payout.paid',
  'payout.failed',
  'partner.created',
  'payment.unattributed',
  'delivery.failed',
  'click.created',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Sent to one endpoint when somebody tests it; nobody subscribes to it. */
export const TEST_EVENT_TYPE = 'event_endpoint.test';

export type SentEventType = EventType | typeof TEST_EVENT_TYPE;

/** What an endpoint gets that names no types: a busy link has many clicks, so those must be asked for. */
export const DEFAULT_EVENT_TYPES: readonly EventType[] = EVENT_TYPES.filter((type) => type !== 'click.created');

/** waiting: for its first or its next attempt. failed: no attempt is left, or its endpoint was deleted. */
export const EVENT_STATUSES = ['waiting', 'delivered', 'failed'] as const;

export type EventStatus = (typeof EVENT_STATUSES)[number];

const MINUTE_MS = 60_000;

/** The wait after each failed attempt; after the tenth there is none. */
const WAITS_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** How far a wait is off at most, so that what failed together does not come back together. */
const JITTER = 0.1;

/** An endpoint that has failed for so long is switched off. */
export const FAILING_MS_MAX = 5 * DAY_MS;

/** The longest wait that an endpoint may ask for. */
export const RETRY_AFTER_MS_MAX = DAY_MS;

const PAUSE_FIRST_MS = 5_000;
const PAUSE_MAX_MS = MINUTE_MS;

/**
 * How long to wait after a failed attempt, in ms; null after the last one.
 *
 * @param tries the failed attempts so far, this one included
 * @param random from 0 to 1
 */
export function waitAfter(tries: number, random: number): number | null {
  const wait = WAITS_MS[tries - 1];
  return wait === undefined ? null : jittered(wait, random);
}

/**
 * How long nothing at all is sent to an endpoint that has failed so many times in a row. At least as long as the wait before
 * an event's second attempt, so that a short outage keeps the order of events.
 */
export function pauseAfter(failures: number, random: number): number {
  return jittered(Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** Math.min(failures - 1, 8)), random);
}

function jittered(ms: number, random: number): number {
  return Math.round(ms * (1 - JITTER + 2 * JITTER * random));
}
