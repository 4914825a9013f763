import { ServiceError } from '../../src/errors.ts';
import type { BackfillPage, BackfillRequest, DeliveryRequest } from '../contract/adapter.ts';
import { type ListedRecord, PAGE_SIZE, requestPage, stripeError } from './backfill-client.ts';
import { eventsOf, RECORD_LISTS } from './backfill-records.ts';

const DAY_SECONDS = 86_400;

/** Stripe answers events of 30 days. The rest is for the time that the reading takes: an event must not expire meanwhile. */
const EVENT_DAYS = 28;

/**
 * Lists are by the time at which a record was created, not by when it was paid, decided or failed. Invoices are paid after 60
 * days, disputes decided after 75.
 */
const MARGIN_DAYS = 90;

/**
 * Of the types that are read, those that may change something; up to 20 in a request. Who a customer is comes before what they
 * paid.
 */
const EVENT_TYPES = {
  events_of_customers: [
    'customer.created',
    'customer.updated',
    'customer.discount.created',
    'customer.discount.updated',
    'customer.subscription.created',
    'customer.subscription.updated',
    'checkout.session.async_payment_failed',
    'checkout.session.expired',
  ],
  events: [
    'checkout.session.completed',
    'checkout.session.async_payment_succeeded',
    'invoice.paid',
    'invoice_payment.paid',
    'payment_intent.succeeded',
    'charge.succeeded',
    'charge.refunded',
    'charge.refund.updated',
    'refund.created',
    'refund.updated',
    'refund.failed',
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.funds_reinstated',
    'charge.dispute.closed',
    'credit_note.created',
    'credit_note.voided',
  ],
};

/**
 * A part of the time in which events or records were created, in Unix seconds: from `start`, `seconds` long at most. All
 * lists of a window are read at once, so that the oldest is delivered first, whichever list it is in: which sale of a
 * customer is the first decides about commission, and Stripe lists the newest first.
 */
interface Window {
  start: number;
  seconds: number;
}

const WINDOW_SECONDS_MAX = 30 * DAY_SECONDS;

/** More than Stripe lets any account create in a second. */
const RECORDS_PER_SECOND_MAX = 10_000;

/** One of Stripe's lists. */
interface List {
  /** In errors. */
  what: string;
  path: string;
  query: [name: string, value: string][];
  eventsIn(records: readonly ListedRecord[]): readonly { created: number }[];
}

/** Reads a window of Stripe's events, or of the records that are older than its events. The oldest window comes first. */
export async function readPage(request: BackfillRequest): Promise<BackfillPage> {
  const range = rangeOf(request);
  const window = windowOf(request.cursor, range);
  const end = endOf(window, range);
  const events: { created: number }[] = [];
  let longest = 0;
  for (const list of window.start < range.eventsSince ? recordLists(range.since) : EVENT_LISTS) {
    const records = await readList(request, list, { start: window.start, end });
    if (records === null)
      return { deliveries: [], cursor: cursorOf(window.start, Math.ceil((end - window.start) / 2)) };
    longest = Math.max(longest, records.length);
    // the oldest first
    events.push(...list.eventsIn(records.toReversed()));
  }
  const inOrder = events.toSorted((a, b) => a.created - b.created);
  // few enough for a window of twice the length
  const growth = longest < PAGE_SIZE / 4 ? 2 : 1;
  const seconds = Math.min(window.seconds * growth, WINDOW_SECONDS_MAX);
  return { deliveries: inOrder.map(deliveryOf), cursor: end > range.until ? null : cursorOf(end, seconds) };
}

/** In Unix seconds. */
interface Range {
  since: number;
  until: number;
  /** Where the first window begins. */
  first: number;
  /** From here on, events are read, and before it records. */
  eventsSince: number;
}

function rangeOf(request: BackfillRequest): Range {
  const [since, until] = [request.since, request.until].map((time) => Math.floor(time / 1000)) as [number, number];
  const eventsSince = Math.max(since, until - EVENT_DAYS * DAY_SECONDS);
  const first = since === eventsSince ? since : Math.max(0, since - MARGIN_DAYS * DAY_SECONDS);
  return { since, until, first, eventsSince };
}

/** A cursor is `1793491200 86400`: where the next window begins, and how long it is. */
function windowOf(cursor: string | null, { first, until }: Range): Window {
  if (cursor === null) return { start: first, seconds: WINDOW_SECONDS_MAX };
  const [, start, seconds] = /^(\d{1,11}) (\d{1,7})$/.exec(cursor)?.map(Number) ?? [];
  if (start !== undefined && seconds !== undefined && start >= first && start <= until && seconds > 0) {
    return { start, seconds };
  }
  throw new ServiceError('VALIDATION_ERROR', 'This version does not know where the reading stopped: begin again');
}

function cursorOf(start: number, seconds: number): string {
  return `${start} ${seconds}`;
}

/** Excluded. A window contains either records or events. */
function endOf({ start, seconds }: Window, { until, eventsSince }: Range): number {
  return Math.min(start + seconds, start < eventsSince ? eventsSince : until + 1);
}

const EVENT_LISTS = Object.values(EVENT_TYPES).map(
  (types): List => ({
    what: 'events',
    path: '/v1/events',
    query: types.map((type): [string, string] => ['types[]', type]),
    eventsIn: (events) => events,
  }),
);

function recordLists(since: number): List[] {
  return RECORD_LISTS.map((list): List => ({ ...list, eventsIn: (records) => eventsOf(list, records, since) }));
}

/** What a list contains of this time, the newest first; null if that is more than a page and the time can be shorter. */
async function readList(
  request: BackfillRequest,
  { what, path, query }: List,
  { start, end }: { start: number; end: number },
): Promise<ListedRecord[] | null> {
  const records: ListedRecord[] = [];
  const period: List['query'] = [
    ['created[gte]', String(start)],
    ['created[lt]', String(end)],
  ];
  for (;;) {
    const after = records.at(-1)?.id;
    const place: List['query'] = after === undefined ? [] : [['starting_after', after]];
    const parameters = new URLSearchParams([['limit', String(PAGE_SIZE)], ...period, ...query, ...place]);
    const page = await requestPage(request, what, `${path}?${parameters}`);
    if (page.data.some(({ id }) => records.some((before) => before.id === id))) {
      throw stripeError(what, 200, 'a page that was read before');
    }
    if (page.has_more && page.data.length === 0) throw stripeError(what, 200, 'an empty page that is not the last');
    records.push(...page.data);
    if (!page.has_more) return records;
    if (end - start > 1) return null;
    if (records.length > RECORDS_PER_SECOND_MAX) throw stripeError(what, 200, 'a second that has no end');
  }
}

function deliveryOf(event: object): DeliveryRequest {
  return {
    rawBody: Buffer.from(JSON.stringify(event)),
    headers: { 'content-type': 'application/json; charset=utf-8' },
  };
}
