import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EndpointSecrets } from '../../adapters/contract/adapter.ts';
import type { CustomerHints } from '../../src/core/facts.ts';
import { PROCESSORS, type Processor } from '../../src/core/processor.ts';
import { getEndpointSecrets } from '../../src/deliveries/endpoints.ts';
import { type Fixture, loadFixtures } from '../adapters/fixtures.ts';
import { postFixture } from '../e2e/stories/scene.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { hashTables } from '../helpers/end-state.ts';
import { someOf } from '../helpers/rounds.ts';
import { createReferrer } from '../helpers/story.ts';

const SALE_ID = /sal_\w+/g;

function externalIdsIn({ interpretation }: Fixture): string[] {
  const facts = interpretation.kind === 'facts' ? interpretation.facts : [];
  return facts.flatMap((fact) => {
    const customer = 'customer' in fact ? (fact.customer as CustomerHints | undefined) : undefined;
    return customer?.externalIds.map(({ value }) => value) ?? [];
  });
}

describe.each(engines)('POST /api/explain on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const explain = (body: Record<string, unknown>) => app.call('POST', '/api/explain', { body });

  async function createEndpoint(processor: Processor) {
    const body = { processor, secrets: [`whsec_${randomBytes(16).toString('hex')}`] };
    const { id, url } = (await app.call('POST', '/api/webhook-endpoints', { body })).body;
    return { id, url, processor, secrets: await getEndpointSecrets(app.service, app.accountId, id) };
  }

  async function headersOf(processor: Processor, { rawBody, eventType, headers }: Fixture, secrets: EndpointSecrets) {
    const adapter = await app.service.adapterFor(processor);
    return { ...adapter.sign(rawBody, secrets, Date.now(), eventType), ...headers };
  }

  /** What the API then shows about the delivery and its sale, in the terms of an explanation. */
  async function becameOf(deliveryId: string) {
    const delivery = (await app.call('GET', `/api/deliveries/${deliveryId}`)).body;
    const sale = delivery.saleId && (await app.call('GET', `/api/sales/${delivery.saleId}`)).body;
    return { delivery, sale };
  }

  it.each(PROCESSORS)('says of every fixture of %s what it would become, and stores nothing', async (processor) => {
    const fixtures = await loadFixtures(processor);
    expect(fixtures.length).toBeGreaterThan(3);
    const referrer = await createReferrer(app);
    for (const externalId of new Set(fixtures.flatMap(externalIdsIn).slice(0, 3))) await referrer.lead(externalId);
    const endpoint = await createEndpoint(processor);
    const outcomes = new Set<string>();
    let entryIds = new Set<string>();
    let newestId: string | null = null;
    // reading every table costs more than all the rest
    const looked = new Set(someOf(fixtures));
    for (const fixture of fixtures) {
      await app.call('PATCH', `/api/webhook-endpoints/${endpoint.id}`, { body: fixture.settings });
      const headers = await headersOf(processor, fixture, endpoint.secrets);
      const before = looked.has(fixture) && (await hashTables(app.service.database));
      const { status, body: told } = await explain({
        processor,
        endpointId: endpoint.id,
        body: fixture.rawBody.toString('utf8'),
        headers,
      });
      expect([fixture.name, status]).toEqual([fixture.name, 200]);
      if (before) expect(await hashTables(app.service.database)).toEqual(before);

      const answer = await postFixture(app, endpoint, fixture, endpoint.secrets);
      expect([fixture.name, told.outcome]).toEqual([fixture.name, answer.body.outcome]);
      outcomes.add(told.outcome);
      const isKnown = told.reason === 'this delivery is known';
      const [newest] = (await app.call('GET', `/api/deliveries?limit=1&endpointId=${endpoint.id}`)).body.data;
      expect([fixture.name, isKnown]).toEqual([fixture.name, newest.id === newestId]);
      if (isKnown) continue;
      newestId = newest.id;
      const { delivery, sale } = await becameOf(newest.id);
      expect({ ...told, reason: told.reason?.replaceAll(SALE_ID, 'sal') ?? null }).toMatchObject({
        deliveryKey: delivery.eventId,
        eventType: delivery.eventType,
        reason: delivery.reason?.replaceAll(SALE_ID, 'sal') ?? null,
        partnerId: sale?.partnerId ?? null,
      });
      if (sale) {
        const added = sale.entries.filter(({ id }: { id: string }) => !entryIds.has(id));
        const sum = added.reduce((total: number, { amount }: { amount: number }) => total + amount, 0);
        expect([fixture.name, told.commissionAmount]).toEqual([fixture.name, sum]);
        expect(told.attribution).toEqual(sale.attribution);
        entryIds = new Set([...entryIds, ...sale.entries.map(({ id }: { id: string }) => id)]);
      }
      if (told.outcome === 'unattributed') {
        const references = told.facts.flatMap((fact: { references?: string[] }) => fact.references ?? []);
        const parked = (await app.call('GET', '/api/parked-payments?limit=100')).body.data.find(
          (payment: { references: string[] }) => payment.references.some((one) => references.includes(one)),
        );
        expect(told.attribution).toEqual({ matchedBy: null, steps: parked.steps });
      }
    }
    expect([...outcomes]).toContain('sale');
  });

  it('needs no endpoint, takes the body as an object, and shows the facts', async () => {
    const [fixture] = (await loadFixtures('polar')).filter(({ name }) => name === 'order.paid--renewal');
    const body = JSON.parse(fixture?.rawBody.toString('utf8') ?? '');
    const { status, body: told } = await explain({
      processor: 'polar',
      body,
      headers: { 'webhook-id': 'msg_explained' },
    });
    expect([status, told.deliveryKey, told.facts[0].kind]).toEqual([200, 'msg_explained', 'payment.received']);
  });

  it('needs no header for a body of Polar, which has its key in one', async () => {
    const [fixture] = (await loadFixtures('polar')).filter(({ name }) => name === 'order.paid--renewal');
    const { body: told } = await explain({ processor: 'polar', body: fixture?.rawBody.toString('utf8') });
    // known where the fixtures were delivered before
    expect(['unattributed', 'duplicate']).toContain(told.outcome);
    expect(told.facts[0].kind).toBe('payment.received');
  });

  it("takes the endpoint's settings for a delivery that it has stored, too, as if it were new", async () => {
    const fixture = (await loadFixtures('stripe')).find(({ name }) => name.endsWith('--test_accepted')) as Fixture;
    const endpoint = await createEndpoint('stripe');
    await app.call('PATCH', `/api/webhook-endpoints/${endpoint.id}`, { body: fixture.settings });
    await postFixture(app, endpoint, fixture, endpoint.secrets);
    const stored = { processor: 'stripe', endpointId: endpoint.id, body: fixture.rawBody.toString('utf8') };
    expect((await explain(stored)).body).toMatchObject({ outcome: 'duplicate', reason: 'this delivery is known' });
    const { body: told } = await explain({ ...stored, asNew: true });
    expect(told.facts[0].kind).toBe('payment.received');
    expect(told.reason).not.toBe('this delivery is known');
    await app.call('DELETE', `/api/webhook-endpoints/${endpoint.id}`);
    expect((await explain({ ...stored, asNew: true })).body).toEqual(told);
    expect((await explain(stored)).status).toBe(404);
    expect((await explain({ ...stored, endpointId: null })).body).toMatchObject({ outcome: 'ignored', facts: [] });
  });

  it('takes any body that a webhook may have', async () => {
    const customer = { id: 'cus_1', object: 'customer', metadata: { note: 'x'.repeat(70_000) } };
    const body = JSON.stringify({ id: 'evt_1', type: 'customer.created', livemode: true, data: { object: customer } });
    expect((await explain({ processor: 'stripe', body })).status).toBe(200);
  });

  it("refuses another processor's endpoint, a missing one, and anything but a body", async () => {
    const { id } = await createEndpoint('paddle');
    const mismatch = await explain({ processor: 'stripe', endpointId: id, body: '{}' });
    expect([mismatch.status, mismatch.body.error.details[0].path]).toEqual([400, 'endpointId']);
    expect((await explain({ processor: 'stripe', endpointId: 'whe_nobody', body: '{}' })).status).toBe(404);
    expect((await explain({ processor: 'stripe', body: 7 })).body.error.details[0].path).toBe('body');
  });

  it.each(PROCESSORS)('says that a body that was cut off is not JSON: %s', async (processor) => {
    const { body } = await explain({ processor, body: '{"id": "evt_1", "type": "inv' });
    expect(body).toMatchObject({ outcome: 'unknown', reason: 'the body is not a JSON object' });
  });
});
