import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';
import { storeReadBack } from '../helpers/store-read-back.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { openStripeApi } from './stripe-api.ts';
import { readAll } from './stripe-backfill-pages.ts';
import { type BackfillStory, storyOf } from './stripe-backfill-story.ts';

/** After the last event of a story, and before its payments have waited too long for their customer. */
const AFTERWARDS = Date.UTC(2026, 6, 20);

/** The records of a story, read long after its events have expired. */
async function readBack(story: BackfillStory): Promise<object[]> {
  const api = await openStripeApi();
  story.fill(api);
  const read = await readAll(api, { since: Date.UTC(2026, 4, 20), until: Date.UTC(2026, 10, 30) });
  await api.close();
  return read.map(({ rawBody }) => JSON.parse(rawBody.toString()));
}

const ORDERS: Record<string, (webhooks: object[], read: object[]) => object[]> = {
  'only read back': (_, read) => read,
  'read back twice': (_, read) => [...read, ...read],
  'webhooks, then read back': (webhooks, read) => [...webhooks, ...read],
  'read back, then webhooks': (webhooks, read) => [...read, ...webhooks],
  'both from the last to the first': (webhooks, read) => [...webhooks.toReversed(), ...read.toReversed()],
  'read back from the last to the first, then webhooks': (webhooks, read) => [...read.toReversed(), ...webhooks],
  'both in turns': (webhooks, read) => webhooks.flatMap((event, index) => [event, ...read.slice(index, index + 1)]),
};

const RUNS = { sqlite: rounds(100), postgres: rounds(20) };

describe.each(engines)('what Stripe told, or what was read back, or both, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let now = AFTERWARDS;
  let stripe: EndpointUnderTest;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
  });
  afterAll(() => app.close());

  async function salesOf(customer: string) {
    const { body } = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
    const sales = body.data.map(async (sale: Record<string, unknown>) => {
      const entries = await app.call('GET', `/api/ledger?saleId=${sale.id}`);
      const earned = entries.body.data.reduce((sum: number, entry: { amount: number }) => sum + entry.amount, 0);
      const { amount, grossAmount, refundedAmount, reversedCommissionAmount, occurredAt } = sale;
      return { amount, grossAmount, refundedAmount, reversedCommissionAmount, earned, occurredAt };
    });
    const all = await Promise.all(sales);
    return all.toSorted((a, b) => a.amount - b.amount);
  }

  async function deliver(event: object): Promise<string> {
    const { status, body } = await stripe.deliver(event);
    expect(status).toBe(200);
    return body.outcome;
  }

  function storeRead(event: object): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    return storeReadBack(app, stripe.id, { rawBody: Buffer.from(JSON.stringify(event)), headers });
  }

  /** Delivers or stores what `orderOf` makes of a new customer's events and records, and requires that each counts once. */
  async function requireOnce(orderOf: (webhooks: object[], read: object[]) => object[]): Promise<void> {
    const customer = unique('user');
    // before the payments
    now = Date.UTC(2026, 4, 20);
    await referrer.lead(customer);
    now = AFTERWARDS;
    const story = storyOf(customer);
    const read = await readBack(story);
    for (const event of orderOf(story.webhooks, read)) {
      expect(await (read.includes(event) ? storeRead(event) : deliver(event))).not.toMatch(/failed|unknown/);
    }
    const expected = story.sales.map((sale) => ({
      ...sale,
      earned: sale.amount / 5 - sale.reversedCommissionAmount,
      occurredAt: expect.stringMatching(/^2026-06-0[12]T00:00:00/),
    }));
    expect(await salesOf(customer)).toEqual(expected);
  }

  it.each(Object.entries(ORDERS))('is one sale, one commission and one refund each: %s', async (_name, orderOf) => {
    await requireOnce(orderOf);
    await requireAgreement(app.service, app.accountId);
  });

  it('is the same if any of the webhooks were lost, in any order', async () => {
    const byNumber = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 60, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(byNumber, fc.double({ min: 0, max: 1, noNaN: true }), async (numbers, lost) => {
        await requireOnce((webhooks, read) =>
          [...webhooks.filter((_, index) => (numbers[59 - index] ?? 0) >= lost), ...read]
            .map((event, index) => ({ event, at: numbers[index] ?? 0 }))
            .toSorted((a, b) => a.at - b.at)
            .map(({ event }) => event),
        );
      }),
      { numRuns: RUNS[engine] },
    );
    await requireAgreement(app.service, app.accountId);
  });

  it('is known at once where an event was read that a webhook had brought', async () => {
    const customer = unique('user');
    await referrer.lead(customer);
    const api = await openStripeApi();
    const { webhooks } = storyOf(customer);
    api.add('events', ...webhooks);
    const read = await readAll(api, { since: Date.UTC(2026, 4, 20), until: Date.UTC(2026, 5, 12) });
    await api.close();
    expect(read.length).toBeGreaterThan(15);
    for (const event of webhooks) await stripe.deliver(event);
    for (const { rawBody } of read) {
      expect((await stripe.deliver(JSON.parse(rawBody.toString()))).body.outcome).toBe('duplicate');
    }
  });
});
