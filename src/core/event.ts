import { DAY_MS, HOUR_MS } from './time.ts';

/** The events that an account can subscribe to. */
export const EVENT_TYPES = [
  'lead.created',
  'sale.created',
  'sale.refunded',
  'sale.disputed',
  'sale.approved',
  'sale.updated',
  'commission.created',
  'payout.queued',
  'payout.processing',
  'payout.held',
  'payout.paid',
  'payout.failed',
  'payout.canceled',
  'partner.created',
  'payment.unattributed',
  'delivery.failed',
  'click.created',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Sent to one endpoint when somebody tests that endpoint. It cannot be subscribed to. */
export const TEST_EVENT_TYPE = 'event_endpoint.test';

export type SentEventType = EventType | typeof TEST_EVENT_TYPE;

/**
 * The types for an endpoint that names none. `click.created` must be requested, because a busy link has many clicks.
 */
export const DEFAULT_EVENT_TYPES: readonly EventType[] = EVENT_TYPES.filter((type) => type !== 'click.created');

/** waiting: for its first or next attempt. failed: no attempt is left, or the endpoint was deleted. */
export const EVENT_STATUSES = ['waiting', 'delivered', 'failed'] as const;

export type EventStatus = (typeof EVENT_STATUSES)[number];

const MINUTE_MS = 60_000;

/** The delay after each failed attempt. There is no attempt after the tenth. */
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

/** The largest random deviation of a delay, as a fraction. It spreads the retries of events that failed together. */
const JITTER = 0.1;

/** An endpoint that has failed for this long is disabled. */
export const FAILING_MS_MAX = 5 * DAY_MS;

const PAUSE_FIRST_MS = 5_000;
const PAUSE_MAX_MS = MINUTE_MS;

/**
 * The delay after a failed attempt, in ms; null after the last one.
 *
 * @param tries the failed attempts so far, including this one
 * @param random from 0 to 1
 */
export function waitAfter(tries: number, random: number): number | null {
  const wait = WAITS_MS[tries - 1];
  return wait === undefined ? null : jittered(wait, random);
}

/**
 * How long to pause all sending to an endpoint after this many consecutive failures, in ms. At least as long as the
 * delay before an event's second attempt, so that a short outage keeps the order of events.
 */
export function pauseAfter(failures: number, random: number): number {
  return jittered(Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** Math.min(failures - 1, 8)), random);
}

function jittered(ms: number, random: number): number {
  return Math.round(ms * (1 - JITTER + 2 * JITTER * random));
}
