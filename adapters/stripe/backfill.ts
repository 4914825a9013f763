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

/** One of Stripe's lists, limited to the range of the request. */
interface List {
  /** In the cursor. */
  name: string;
  /** In errors. */
  what: string;
  path: string;
  query: [name: string, value: string][];
  eventsIn(records: readonly ListedRecord[]): readonly object[];
}

/** Reads one page of Stripe's events, or of the records that are older than its events, in one request. */
export async function readPage(request: BackfillRequest): Promise<BackfillPage> {
  const lists = listsOf(request);
  const { index, after } = placeOf(request.cursor, lists);
  const list = lists[index] as List;
  const { what } = list;
  const page = await requestPage(request, what, pathOf(list, after));
  const last = page.data.at(-1)?.id;
  if (page.data.some(({ id }) => id === after)) throw stripeError(what, 200, 'a page that was read before');
  if (page.has_more && last === undefined) throw stripeError(what, 200, 'an empty page that is not the last');
  const cursor = page.has_more ? `${list.name} ${last}` : (lists[index + 1]?.name ?? null);
  return { deliveries: list.eventsIn(page.data).map(deliveryOf), cursor };
}

function listsOf(request: BackfillRequest): List[] {
  const [since, until] = [request.since, request.until].map((time) => Math.floor(time / 1000)) as [number, number];
  const eventsSince = Math.max(since, until - EVENT_DAYS * DAY_SECONDS);
  const ofEvents = Object.entries(EVENT_TYPES).map(
    ([name, types]): List => ({
      name,
      what: 'events',
      path: '/v1/events',
      query: [
        ['created[gte]', String(eventsSince)],
        ['created[lte]', String(until)],
        ...types.map((type): [string, string] => ['types[]', type]),
      ],
      eventsIn: (events) => events,
    }),
  );
  if (since === eventsSince) return ofEvents;
  const ofRecords = RECORD_LISTS.map(
    (list): List => ({
      ...list,
      query: [
        ['created[gte]', String(Math.max(0, since - MARGIN_DAYS * DAY_SECONDS))],
        ['created[lt]', String(eventsSince)],
        ...list.query,
      ],
      eventsIn: (records) => eventsOf(list, records, since),
    }),
  );
  return [...ofEvents, ...ofRecords];
}

/** A cursor is `refunds re_…`: the list, and the last record that was read of it, if there is one. */
function placeOf(cursor: string | null, lists: readonly List[]): { index: number; after: string | undefined } {
  if (cursor === null) return { index: 0, after: undefined };
  const [name, after] = cursor.split(' ');
  const index = lists.findIndex((list) => list.name === name);
  if (index !== -1) return { index, after };
  throw new ServiceError('VALIDATION_ERROR', 'This version does not know where the reading stopped: begin again');
}

function pathOf({ path, query }: List, after: string | undefined): string {
  const place: List['query'] = after === undefined ? [] : [['starting_after', after]];
  return `${path}?${new URLSearchParams([['limit', String(PAGE_SIZE)], ...query, ...place])}`;
}

function deliveryOf(event: object): DeliveryRequest {
  return {
    rawBody: Buffer.from(JSON.stringify(event)),
    headers: { 'content-type': 'application/json; charset=utf-8' },
  };
}
