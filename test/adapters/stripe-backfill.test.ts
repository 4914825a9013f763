import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { guide } from '../../adapters/stripe/guide.ts';
import stripe from '../../adapters/stripe/index.ts';
import { openStripeApi, type StripeApi } from './stripe-api.ts';
import { readAll } from './stripe-backfill-pages.ts';
import { payloadOf } from './stripe-events.ts';

const DAY_MS = 86_400_000;
const SINCE = Date.UTC(2026, 10, 1);
const secondsAt = (time: number) => time / 1000;

let api: StripeApi;
beforeEach(async () => {
  api = await openStripeApi();
});
afterEach(() => api.close());

function eventsOf(count: number, firstAt: number) {
  const event = payloadOf('invoice.paid--renewal');
  return Array.from({ length: count }, (_, nth) => ({ ...event, id: `evt_${nth}`, created: secondsAt(firstAt) + nth }));
}

describe('events', () => {
  test('are delivered as they are, with the id that their webhooks had, the oldest first', async () => {
    const events = eventsOf(250, SINCE + DAY_MS).map((event) => ({ ...event, account: 'acct_1' }));
    api.add('events', ...events);
    const deliveries = await readAll(api);
    expect(deliveries.map(({ rawBody }) => JSON.parse(rawBody.toString()))).toEqual(events);
    expect(stripe.read(deliveries[0] as (typeof deliveries)[number]).deliveryKey).toBe('evt_0');
    for (const { query } of api.requests) {
      expect([query.get('limit'), query.get('starting_after')]).toEqual(['100', null]);
    }
    expect(api.requests.length).toBeLessThan(120);
  });

  test('of one second are read page by page', async () => {
    const events = eventsOf(250, SINCE).map((event) => ({ ...event, created: secondsAt(SINCE) }));
    api.add('events', ...events);
    expect(await readAll(api)).toHaveLength(250);
    expect(api.requests.filter(({ query }) => query.has('starting_after'))).toHaveLength(2);
  });

  test('are all that is read of the last 28 days, and only those from the beginning to the end of the reading', async () => {
    api.add(
      'events',
      ...eventsOf(1, SINCE - 1000),
      ...eventsOf(1, SINCE),
      ...eventsOf(1, Date.UTC(2026, 10, 20) + 1000),
    );
    expect(await readAll(api, { until: SINCE + 28 * DAY_MS })).toHaveLength(2);
    expect(await readAll(api)).toHaveLength(1);
    expect(new Set(api.requests.map(({ path }) => path))).toEqual(new Set(['/v1/events']));
  });

  test('of every type that a destination is to send are read', async () => {
    await readAll(api);
    const types = api.requests.flatMap(({ query }) => query.getAll('types[]'));
    expect(types).toEqual(expect.arrayContaining([...guide.events]));
    expect(new Set(types).size).toBe(types.length);
  });

  test('may be none at all', async () => {
    expect(await readAll(api, { since: SINCE - 365 * DAY_MS })).toEqual([]);
    expect(new Set(api.requests.map(({ path }) => path)).size).toBe(8);
    // seven lists of records in windows of 30 days, and two of events
    expect(api.requests.length).toBe(7 * 15 + 2);
  });
});

describe('what is older than 28 days', () => {
  const range = { since: SINCE - 60 * DAY_MS, until: SINCE };
  const invoice = payloadOf('invoice.paid--renewal').data.object;
  const paid = (id: string, createdAt: number, paidAt: number) => ({
    ...invoice,
    ...{ id, created: secondsAt(createdAt), status_transitions: { paid_at: secondsAt(paidAt) } },
  });

  test('is read as records that were created up to 90 days before, if they may have been paid in time', async () => {
    const { since } = range;
    api.add(
      'invoices',
      paid('in_too_old', since - 91 * DAY_MS, since + 1000),
      paid('in_paid_late', since - 90 * DAY_MS, since),
      paid('in_paid_before', since - 2 * DAY_MS, since - 1000),
      paid('in_has_events', SINCE - 28 * DAY_MS, SINCE - 27 * DAY_MS),
      { ...paid('in_open', since + DAY_MS, 0), status: 'open' },
    );
    const deliveries = await readAll(api, range);
    expect(deliveries.map(({ rawBody }) => JSON.parse(rawBody.toString()).data.object.id)).toEqual(['in_paid_late']);
    expect(deliveries[0]?.headers).toEqual({ 'content-type': 'application/json; charset=utf-8' });
    const events = api.requests.filter(({ path }) => path === '/v1/events');
    expect(events.map(({ query }) => query.get('created[gte]'))).toEqual(
      events.map(() => String(secondsAt(SINCE - 28 * DAY_MS))),
    );
  });

  test('includes what may have happened in time, although its record does not say when', async () => {
    const [at, before] = [secondsAt(range.since), secondsAt(range.since) - 3600];
    const session = payloadOf('checkout.session.completed--subscription').data.object;
    api.add(
      'checkout/sessions',
      { ...session, id: 'cs_completed_in_time', created: before, expires_at: at },
      { ...session, id: 'cs_completed_before', created: before, expires_at: at - 1 },
    );
    api.add('disputes', { ...payloadOf('charge.dispute.closed--lost').data.object, id: 'du_lost', created: before });
    const deliveries = await readAll(api, range);
    const ids = deliveries.map(({ rawBody }) => JSON.parse(rawBody.toString()).data.object.id);
    expect(ids).toEqual(['cs_completed_in_time', 'du_lost']);
  });

  test('includes the payments of invoices of the day before, which may name what is counted by itself', async () => {
    const link = payloadOf('invoice_payment.paid--renewal').data.object;
    const paidAt = (id: string, time: number) => ({
      ...{ ...link, id, created: secondsAt(range.since) - 90_000 },
      status_transitions: { paid_at: secondsAt(time) },
    });
    const { since } = range;
    api.add('invoice_payments', paidAt('inpay_day_before', since - DAY_MS), paidAt('inpay_old', since - DAY_MS - 1000));
    const deliveries = await readAll(api, range);
    const ids = deliveries.map(({ rawBody }) => JSON.parse(rawBody.toString()).data.object.id);
    expect(ids).toEqual(['inpay_day_before']);
  });

  test('is read with the oldest first, whichever list it is in, before the events', async () => {
    const invoices = Array.from({ length: 201 }, (_, nth) => {
      const at = range.since + nth * 60_000;
      return paid(`in_${nth}`, at, at);
    });
    api.add('invoices', ...invoices);
    const session = payloadOf('checkout.session.completed--subscription').data.object;
    const created = secondsAt(range.since) + 90;
    api.add('checkout/sessions', { ...session, id: 'cs_between', created, expires_at: created + 60 });
    api.add('events', ...eventsOf(1, SINCE - DAY_MS));
    const deliveries = await readAll(api, range);
    const read = deliveries.map(({ rawBody }) => JSON.parse(rawBody.toString()));
    expect(read).toHaveLength(203);
    expect(read.map((event) => event.created)).toEqual(read.map((event) => event.created).toSorted((a, b) => a - b));
    expect(read.slice(0, 4).map(({ data }) => data.object.id)).toEqual(['in_0', 'in_1', 'cs_between', 'in_2']);
    expect(read.at(-1).id).toBe('evt_0');
  });

  test('has to be as requested: an id in place of the object that tells the time ends the reading', async () => {
    api.add('checkout/sessions', {
      ...payloadOf('checkout.session.completed--payment').data.object,
      created: 1_790_000_000,
    });
    await expect(readAll(api, range)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/Checkout sessions .*unexpected form: cs_\w+\.payment_intent: /),
    });
  });
});
