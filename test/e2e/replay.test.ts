import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROCESSORS } from '../../src/core/processor.ts';
import { loadFixtures } from '../adapters/fixtures.ts';
import { call, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf, hashTables } from '../helpers/end-state.ts';
import { rounds } from '../helpers/rounds.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, unique, VISITOR } from '../helpers/story.ts';
import {
  chargeRefunded,
  checkoutCompleted,
  customerUpdated,
  disputeOf,
  invoicePaid,
  invoicePaymentPaid,
  refundOf,
} from '../helpers/stripe-payloads.ts';

/** The only column that another attempt may change. */
const ATTEMPTS = ['deliveries.attempts'];
/** How often everything is delivered again. */
const REPLAYS = rounds(3);

describe.each(engines)('repeated deliveries, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  /** Delivers every delivery fixture of every processor, each to a separate endpoint, by name. */
  async function deliverAllFixtures(endpoints: Map<string, EndpointUnderTest>): Promise<number> {
    let count = 0;
    for (const processor of PROCESSORS) {
      const endpoint = endpoints.get(processor);
      for (const { rawBody, eventType } of await loadFixtures(processor)) {
        const answer = await endpoint?.deliver(JSON.parse(rawBody.toString('utf8')), eventType);
        expect(answer?.status).toBe(200);
        count += 1;
      }
    }
    return count;
  }

  it('change nothing: every delivery of every processor is replayed, and retried by hand', async () => {
    const referrer = await createReferrer(app, { discountCodes: ['SPRING20', 'LAUNCH'] });
    const endpoints = new Map<string, EndpointUnderTest>();
    for (const processor of PROCESSORS) {
      const shop = processor === 'shopify' ? { shopDomain: 'example.myshopify.com' } : {};
      endpoints.set(processor, await createEndpoint(app, processor, { acceptTestEvents: true, ...shop }));
    }
    for (const customer of await customersOfFixtures()) await referrer.lead(customer);
    const count = await deliverAllFixtures(endpoints);
    expect(count).toBeGreaterThan(100);
    const { sales } = await endStateOf(app.service, app.accountId);
    expect(sales.length).toBeGreaterThan(10);

    const before = await hashTables(app.service.database);
    for (let round = 0; round < REPLAYS; round += 1) await deliverAllFixtures(endpoints);
    expect(await hashTables(app.service.database)).toEqual(before);

    const beforeRetries = await hashTables(app.service.database, ATTEMPTS);
    const rows = await app.service.database.read((tx) =>
      tx.all<{ id: string; hasBody: number }>(
        // a repeated redaction erases what has arrived since
        `SELECT id, CASE WHEN body IS NULL THEN 0 ELSE 1 END AS "hasBody" FROM deliveries
         WHERE event_type IS NULL OR event_type NOT IN ('customers/redact', 'shop/redact')`,
      ),
    );
    // one delivery erases a person, and with it the bodies of that person's deliveries
    expect(rows.filter(({ hasBody }) => hasBody === 0).length).toBeLessThan(20);
    for (const { id, hasBody } of rows) {
      const answer = await app.call('POST', `/api/deliveries/${id}/retry`);
      expect([id, answer.status]).toEqual([id, hasBody === 1 ? 200 : 409]);
    }
    expect(await hashTables(app.service.database, ATTEMPTS)).toEqual(beforeRetries);
  });

  it('keep what they did when their endpoint would ignore them now, and do what it ignored before', async () => {
    const customer = unique('user');
    await (await createReferrer(app)).lead(customer);
    const stripe = await createEndpoint(app, 'stripe', { acceptTestEvents: true });
    const acceptTestEvents = async (accepted: boolean) => {
      const body = { acceptTestEvents: accepted };
      expect((await app.call('PATCH', `/api/webhook-endpoints/${stripe.id}`, { body })).status).toBe(200);
    };
    const inTestMode = (event: object) => stripe.deliver({ ...event, livemode: false });
    const newest = async (limit: number) => (await app.call('GET', `/api/deliveries?limit=${limit}`)).body.data;
    const retried = async (id: string) => (await app.call('POST', `/api/deliveries/${id}/retry`)).body;
    const paid = checkoutCompleted({ externalId: customer });
    await inTestMode(paid);
    await inTestMode({ ...paid, id: unique('evt') });
    const reports = await newest(2);
    const saleId = expect.stringMatching(/^sal_/);
    expect(reports).toMatchObject([
      { outcome: 'duplicate', saleId },
      { outcome: 'sale', saleId },
    ]);
    await acceptTestEvents(false);
    for (const report of reports) expect(await retried(report.id)).toMatchObject({ ...report, attempts: 2 });
    // as a failed attempt leaves it
    const [, { id, saleId: ownSaleId }] = reports;
    await app.service.database.write((tx) =>
      tx.run(`UPDATE deliveries SET status = 'failed', outcome = 'failed' WHERE id = @id`, { id }),
    );
    expect(await retried(id)).toMatchObject({ outcome: 'ignored', saleId: ownSaleId });
    await inTestMode(customerUpdated(unique('cus'), customer));
    const [identity] = await newest(1);
    expect(identity.outcome).toBe('ignored');
    await acceptTestEvents(true);
    expect(await retried(identity.id)).toMatchObject({ outcome: 'noted', attempts: 2 });
  });

  it('have the same result in any order and with any repetition, as Stripe sends them', async () => {
    const runs = { sqlite: rounds(25), postgres: rounds(6) }[engine];
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), async (numbers) => {
        const account = await app.addAccount('Example Ltd');
        const own: TestApp = {
          ...app,
          ...account,
          call: (method, path, options = {}) => call(app.url + path, method, { key: account.apiKey, ...options }),
        };
        const stripe = await createEndpoint(own, 'stripe');
        const clickId = await clickOnSharedDomain(own);
        const arrivals = shuffled([...subscriptionStory(own, stripe, clickId)], numbers);
        for (const arrive of arrivals) expect([200, 409]).toContain((await arrive()).status);
        expect(await endStateOf(app.service, account.accountId)).toEqual({
          sales: [
            {
              customer: 'mia',
              amount: 10_000,
              grossAmount: 12_000,
              currency: 'usd',
              commissionAmount: 2_000,
              status: 'disputed',
              refundedAmount: 3_000,
              reversedCommissionAmount: 500,
              held: -500,
            },
          ],
          ofSecondRecords: 0,
          owed: 1_000,
          queuedPayouts: 1,
          parked: 0,
        });
      }),
      { numRuns: runs },
    );
  });
});

/** Every customer that a fixture names by the caller's own id. */
async function customersOfFixtures(): Promise<Set<string>> {
  const fixtures = (await Promise.all(PROCESSORS.map(loadFixtures))).flat();
  const facts = fixtures.flatMap(({ interpretation }) => (interpretation.kind === 'facts' ? interpretation.facts : []));
  const hints = facts.flatMap((fact) => ('customer' in fact ? fact.customer.externalIds : []));
  return new Set(hints.map(({ value }) => value));
}

/** A click on a new link on the domain that all accounts share. */
async function clickOnSharedDomain(app: TestApp): Promise<string> {
  const partner = await app.call('POST', '/api/partners', { body: { name: 'Ana', email: 'ana@example.com' } });
  const body = { partnerId: partner.body.id, url: 'https://shop.example.com/' };
  const { domain, key } = (await app.call('POST', '/api/links', { body })).body;
  const click = await app.call('POST', '/api/track/click', {
    key: null,
    headers: { 'user-agent': VISITOR },
    body: { domain, key },
  });
  expect(click.status, click.text).toBe(200);
  return click.body.clickId;
}

/**
 * Lead, session, customer, invoice, its payment, refunds by id and cumulative, a failed refund, a dispute, and the API.
 */
function subscriptionStory(app: TestApp, stripe: EndpointUnderTest, clickId: string) {
  const [invoice, intent, customer, subscription] = [unique('in'), unique('pi'), unique('cus'), unique('sub')];
  const session = checkoutCompleted({ customer, externalId: 'mia' });
  Object.assign(session.data.object as object, { mode: 'subscription', subscription, invoice, payment_intent: null });
  const refund = unique('re');
  const failing = unique('re');
  const events = [
    session,
    customerUpdated(customer, 'mia', 'mia@example.com'),
    invoicePaid({ invoice, customer, subscription, amount: 12_000, tax: 2_000 }),
    invoicePaymentPaid(invoice, intent),
    refundOf(intent, refund, 3_000, 'succeeded'),
    refundOf(intent, failing, 1_000, 'succeeded'),
    refundOf(intent, failing, 1_000, 'failed'),
    chargeRefunded(intent, 12_000, 3_000),
    chargeRefunded(intent, 12_000, 4_000),
    disputeOf(intent, unique('du'), 3_000),
  ];
  const lead = { clickId, eventName: 'Sign up', customerExternalId: 'mia' };
  const sale = { clickId, customerExternalId: 'mia', amount: 10_000, invoiceId: invoice, paymentProcessor: 'stripe' };
  const arrivals = [
    () => app.call('POST', '/api/track/lead', { body: lead }),
    () => app.call('POST', '/api/track/sale', { body: sale }),
    ...events.map((event) => () => stripe.deliver(event)),
  ];
  return [...arrivals, ...arrivals.filter((_, index) => index % 3 === 0)];
}

/** Fisher–Yates over a stream of numbers that fast-check can print and replay. */
function shuffled<T>(items: T[], numbers: Iterator<number>): T[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Number(numbers.next().value) % (last + 1);
    const [a, b] = [items[last], items[other]];
    if (a !== undefined && b !== undefined) [items[last], items[other]] = [b, a];
  }
  return items;
}
