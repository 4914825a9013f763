import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EndpointSecrets } from '../../../adapters/contract/adapter.ts';
import { PROCESSORS, type Processor } from '../../../src/core/processor.ts';
import { type Fixture, loadFixtures } from '../../adapters/fixtures.ts';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { engines } from '../../helpers/databases.ts';
import { postFixture } from './scene.ts';

const [OLD, NEW, STRANGER] = ['whsec_the_old_one', 'whsec_the_new_one', 'whsec_of_a_stranger'];

describe.each(engines)('an endpoint of each processor during a secret rotation, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  async function createEndpoint(processor: Processor) {
    const body = { processor, secrets: [OLD, NEW] };
    const answer = await app.call('POST', '/api/webhook-endpoints', { body });
    expect(answer.status).toBe(201);
    return answer.body as { id: string; url: string };
  }
  const storedOf = async (endpointId: string) =>
    (await app.call('GET', `/api/deliveries?endpointId=${endpointId}&limit=100`)).body.data;

  it.each(PROCESSORS)(
    'accepts what %s signed with either secret, and stores nothing that a stranger signed',
    async (name) => {
      const { id, url } = await createEndpoint(name);
      const [first, second] = await paymentsOf(name);
      const signedBy = (fixture: Fixture, secret: string) =>
        postFixture(app, { url, processor: name }, fixture, onlySecret(secret));

      const refused = await signedBy(first, STRANGER);
      expect(refused.status).toBe(401);
      expect(refused.body.error).toEqual({
        code: 'INVALID_SIGNATURE',
        message: 'The signature of this delivery could not be verified',
      });
      expect(await storedOf(id)).toEqual([]);
      expect((await app.call('GET', `/api/webhook-endpoints/${id}`)).body.lastDeliveryAt).toBeNull();

      expect((await signedBy(first, OLD)).status).toBe(200);
      expect((await signedBy(second, NEW)).status).toBe(200);
      expect((await signedBy(second, OLD)).body.outcome).toBe('duplicate');
      expect(await storedOf(id)).toHaveLength(2);
    },
  );

  it.each(PROCESSORS)('stores nothing of %s that was changed in transit', async (name) => {
    const { id, url } = await createEndpoint(name);
    const [{ rawBody, eventType, headers }] = await paymentsOf(name);
    const adapter = await app.service.adapterFor(name);
    const signed = adapter.sign(rawBody, onlySecret(NEW), Date.now(), eventType);
    const changed = Buffer.from(rawBody);
    changed.writeUInt8(changed.readUInt8(changed.length >> 1) ^ 1, changed.length >> 1);
    const post = (body: Buffer, more: Record<string, string>) =>
      app.call('POST', new URL(url).pathname, { key: null, body, headers: { ...more, ...headers } });
    expect((await post(changed, signed)).status).toBe(401);
    expect((await post(rawBody, {})).status).toBe(401);
    expect(await storedOf(id)).toEqual([]);
    expect((await post(rawBody, signed)).status).toBe(200);
  });

  it('accepts a Shopify delivery only from its own shop, even with a valid signature', async () => {
    const body = { processor: 'shopify', secrets: [NEW], shopDomain: 'fern.myshopify.com' };
    const { id, url } = (await app.call('POST', '/api/webhook-endpoints', { body })).body;
    const [order] = await paymentsOf('shopify');
    const from = (shopDomain: string) =>
      postFixture(app, { url, processor: 'shopify' }, order, { ...onlySecret(NEW), shopDomain });
    expect((await from('moss.myshopify.com')).status).toBe(401);
    expect(await storedOf(id)).toEqual([]);
    expect((await from('fern.myshopify.com')).status).toBe(200);
  });

  it('requires both from RevenueCat when an authorization and a secret are set', async () => {
    const body = { processor: 'revenuecat', secrets: [NEW], authorization: 'Bearer of good news' };
    const { id, url } = (await app.call('POST', '/api/webhook-endpoints', { body })).body;
    const [purchase] = await paymentsOf('revenuecat');
    const post = (secrets: EndpointSecrets) => postFixture(app, { url, processor: 'revenuecat' }, purchase, secrets);
    const both = { ...onlySecret(NEW), authorization: 'Bearer of good news' };
    expect((await post({ ...both, authorization: null })).status).toBe(401);
    expect((await post({ ...both, secrets: [] })).status).toBe(401);
    expect((await post({ ...both, authorization: 'of good news' })).status).toBe(401);
    expect(await storedOf(id)).toEqual([]);
    expect((await post(both)).status).toBe(200);
    const [stored] = await storedOf(id);
    const shown = await app.call('GET', `/api/deliveries/${stored.id}`);
    expect(shown.text).not.toContain('good news');
  });
});

/** Two fixtures of different payments. */
async function paymentsOf(processor: Processor): Promise<[Fixture, Fixture]> {
  const [first, second] = (await loadFixtures(processor)).filter(
    ({ interpretation }) =>
      interpretation.kind === 'facts' && interpretation.facts.some(({ kind }) => kind === 'payment.received'),
  );
  if (first === undefined || second === undefined) throw new Error(`${processor} has too few fixtures of payments`);
  return [first, second];
}

function onlySecret(secret: string): EndpointSecrets {
  return { secrets: [secret], authorization: null, shopDomain: null };
}
