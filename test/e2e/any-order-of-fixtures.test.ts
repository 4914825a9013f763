import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact, PaymentReceived } from '../../src/core/facts.ts';
import { PROCESSORS, type Processor } from '../../src/core/processor.ts';
import { type Fixture, loadFixtures } from '../adapters/fixtures.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { call, createTestApp, type TestApp } from '../helpers/app.ts';
import { leadWith } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';
import { createEndpoint } from '../helpers/story.ts';

const RUNS = { sqlite: rounds(30), postgres: rounds(10) };
const CODES = ['SPRING20', 'LAUNCH'];
/** Names three customers, of whom the first one that is known counts. */
const OF_SEVERAL = 'order.paid--three-places';

type Own = Pick<TestApp, 'call' | 'url' | 'service'>;

const factsIn = ({ interpretation }: Fixture): readonly Fact[] =>
  interpretation.kind === 'facts' ? interpretation.facts : [];

async function fixturesOf(processor: Processor): Promise<Fixture[]> {
  const fixtures = await loadFixtures(processor);
  return fixtures.filter((fixture) => {
    const facts = factsIn(fixture);
    // what an erasure leaves depends on what was stored before it
    return fixture.name !== OF_SEVERAL && facts.length > 0 && facts.every(({ kind }) => !kind.endsWith('.erased'));
  });
}

function customersIn(facts: readonly Fact[]): Set<string> {
  const hints = facts.flatMap((fact) => ('customer' in fact && fact.customer ? fact.customer.externalIds : []));
  return new Set(hints.map(({ value }) => value));
}

/** The payments that a backend knows as well: whose customer is named, with all amounts. */
function ordersIn(facts: readonly Fact[]): Map<string | null, PaymentReceived> {
  const paid = facts.filter((fact) => fact.kind === 'payment.received');
  const known = paid.filter(({ grossMinor, isBare, customer }) => grossMinor > 0 && !isBare && customer.externalIds[0]);
  return new Map(known.map((fact) => [fact.invoiceId, fact]));
}

describe.each(engines)('all events of a processor, and the same sales by API, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  /** A new account, and everything that reaches it. */
  async function begin(processor: Processor, fixtures: readonly Fixture[]) {
    const account = await createReferredAccount(app.service, {}, { discountCodes: CODES });
    const own: Own = {
      ...app,
      call: (method, path, options = {}) => call(app.url + path, method, { key: account.apiKey, ...options }),
    };
    const shop = processor === 'shopify' ? { shopDomain: 'example.myshopify.com' } : {};
    const { id: endpointId, deliver } = await createEndpoint(own, processor, { acceptTestEvents: true, ...shop });
    const arrivals = new Map<string, () => Promise<unknown>>();
    for (const { name, rawBody, eventType } of fixtures) {
      const body = rawBody.toString('utf8');
      arrivals.set(name, async () => {
        const explain = { processor, endpointId, body, headers: { 'x-shopify-topic': eventType } };
        const { outcome } = (await own.call('POST', '/api/explain', { body: explain })).body;
        const answer = await deliver(JSON.parse(body), eventType);
        expect(answer, name).toMatchObject({ status: 200, body: { outcome } });
      });
    }
    const facts = fixtures.flatMap(factsIn);
    for (const customerExternalId of customersIn(facts)) {
      arrivals.set(`lead of ${customerExternalId}`, () => leadWith({ customerExternalId })(app, account));
    }
    for (const [invoiceId, { customer, netMinor: amount, currency }] of ordersIn(facts)) {
      const customerExternalId = customer.externalIds[0]?.value;
      const body = { customerExternalId, amount, currency, invoiceId, paymentProcessor: processor };
      arrivals.set(`sale of ${invoiceId}`, async () =>
        expect([200, 202, 409]).toContain((await own.call('POST', '/api/sales', { body })).status),
      );
    }
    return { own, arrivals, accountId: account.accountId };
  }

  /** As the background job does: a refund in the shopper's currency fails until the order states its total in it. */
  async function retryFailed(own: Own): Promise<void> {
    const { data } = (await own.call('GET', '/api/deliveries?status=failed&limit=100')).body;
    for (const { id } of data) expect((await own.call('POST', `/api/deliveries/${id}/retry`)).status).toBe(200);
  }

  async function endAfter(processor: Processor, fixtures: readonly Fixture[], keys: readonly number[]) {
    const { own, arrivals, accountId } = await begin(processor, fixtures);
    const inOrder = [...arrivals].map(([name, arrive], nth) => ({ key: keys[nth] ?? 0, name, arrive }));
    inOrder.sort((one, other) => one.key - other.key);
    for (const { arrive } of inOrder) await arrive();
    await retryFailed(own);
    await requireAgreement(app.service, accountId);
    const { sales, ...rest } = await endStateOf(app.service, accountId);
    // the hold of a sale that the backend reported first begins with that report
    const held = sales.map((sale) => ({ ...sale, status: sale.status.replace('approved', 'pending') }));
    return { order: inOrder.map(({ name }) => name).join('\n'), end: { ...rest, sales: held } };
  }

  it.each(PROCESSORS)('have the same result in any order: %s', async (processor) => {
    const fixtures = await fixturesOf(processor);
    const { end } = await endAfter(processor, fixtures, []);
    expect(end.sales.length).toBeGreaterThan(3);
    const keys = fc.array(fc.nat(), { minLength: 150, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(keys, async (order) => {
        const other = await endAfter(processor, fixtures, order);
        expect(other.end, other.order).toEqual(end);
      }),
      // a shorter list of numbers is no shorter history
      { numRuns: RUNS[engine], endOnFailure: true },
    );
  });
});
