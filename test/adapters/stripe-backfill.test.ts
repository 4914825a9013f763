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
  test('are read page by page and delivered as they are, with the id that their webhooks had', async () => {
    const events = eventsOf(250, SINCE + DAY_MS).map((event) => ({ ...event, account: 'acct_1' }));
    api.add('events', ...events);
    const deliveries = await readAll(api);
    expect(deliveries.map(({ rawBody }) => JSON.parse(rawBody.toString()))).toEqual(events.toReversed());
    expect(stripe.read(deliveries[0] as (typeof deliveries)[number]).deliveryKey).toBe('evt_249');
    const pages = api.requests.filter(({ query }) => query.getAll('types[]').includes('invoice.paid'));
    expect(pages.map(({ query }) => [query.get('limit'), query.get('starting_after')])).toEqual([
      ['100', null],
      ['100', 'evt_150'],
      ['100', 'evt_50'],
    ]);
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
    expect(api.requests.length).toBe(9);
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

  test('is read page by page, too', async () => {
    const invoices = Array.from({ length: 201 }, (_, nth) => paid(`in_${nth}`, range.since + nth * 1000, SINCE));
    api.add('invoices', ...invoices);
    expect(await readAll(api, range)).toHaveLength(201);
    expect(api.requests.filter(({ path }) => path === '/v1/invoices')).toHaveLength(3);
  });

  test('has to be as requested: an id in place of the object that tells the time ends the reading', async () => {
    api.add('checkout/sessions', {
      ...payloadOf('checkout.session.completed--payment').data.object,
      created: 1_790_000_000,
    });
    await expect(readAll(api, range)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/Checkout sessions .*unexpected form: data\.0\.payment_intent: /),
    });
  });
});
