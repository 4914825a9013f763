import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Adapter } from '../../adapters/contract/adapter.ts';
import { adapters } from '../../adapters/index.ts';
import { PROCESSORS, type Processor } from '../../src/core/processor.ts';
import { openSecrets } from '../../src/deliveries/endpoint-secrets.ts';
import { findEndpointForDelivery } from '../../src/deliveries/queries/endpoints.ts';
import { touchTraffic } from '../../src/deliveries/traffic.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

const SECRET = 'whsec_only_for_this_test';

describe.each(engines)('webhook endpoints on %s', (engine) => {
  let app: TestApp;
  const adapterFor = vi.fn((processor: Processor): Promise<Adapter> => adapters[processor]());
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { adapterFor } });
  });
  afterAll(() => app.close());

  const post = (body: object, key = app.apiKey) => app.call('POST', '/api/webhook-endpoints', { body, key });
  const patch = (id: string, body: object) => app.call('PATCH', `/api/webhook-endpoints/${id}`, { body });
  const stored = async (id: string) => {
    const endpoint = (await app.call('GET', `/api/webhook-endpoints/${id}`)).body;
    const row = await app.service.database.read((tx) => findEndpointForDelivery(tx, id, endpoint.processor));
    if (row === undefined) throw new Error(`No endpoint ${id}`);
    return openSecrets(app.service, row);
  };

  it.each(PROCESSORS)(
    'an endpoint of %s needs nothing at first, and shows the URL to enter at the processor',
    async (processor) => {
      const { status, body } = await post({ processor });
      expect(status).toBe(201);
      expect(body).toEqual({
        id: expect.stringMatching(/^whe_[0-9a-f]{32}$/),
        url: `https://refer.example.com/webhooks/${processor}/${body.id}`,
        processor,
        secretCount: 0,
        hasAuthorization: false,
        hasAccessToken: false,
        apiUrl: null,
        shopDomain: null,
        acceptTestEvents: false,
        countStores: null,
        countPaymentIntents: false,
        programId: app.programId,
        lastDeliveryAt: null,
        createdAt: expect.stringMatching(/Z$/),
      });
      expect((await app.call('GET', `/api/webhook-endpoints/${body.id}`)).body).toEqual(body);
    },
  );

  it('secrets are accepted, trimmed and counted, but never shown or stored in clear text', async () => {
    const created = await post({ processor: 'stripe', secrets: [` ${SECRET} `, 'whsec_second', SECRET] });
    expect(created.body.secretCount).toBe(2);
    expect(await stored(created.body.id)).toMatchObject({ secrets: [SECRET, 'whsec_second'] });
    const answers = [
      created,
      await app.call('GET', '/api/webhook-endpoints?limit=100'),
      await patch(created.body.id, {}),
    ];
    for (const { text } of answers) expect(text).not.toMatch(/whsec_|sealed/i);
    const rows = await app.service.database.read((tx) =>
      tx.all<{ sealed: Buffer | null }>('SELECT sealed_secrets AS "sealed" FROM webhook_endpoints'),
    );
    for (const { sealed } of rows) expect(sealed?.toString('latin1') ?? '').not.toContain(SECRET);
  });

  it('changing secrets replaces the list; another change keeps it', async () => {
    const { id } = (await post({ processor: 'polar', secrets: ['old_1', 'old_2'] })).body;
    expect((await patch(id, { acceptTestEvents: true })).body).toMatchObject({
      acceptTestEvents: true,
      secretCount: 2,
    });
    expect((await stored(id)).secrets).toEqual(['old_1', 'old_2']);
    expect((await patch(id, { secrets: ['new_1'] })).body.secretCount).toBe(1);
    expect((await stored(id)).secrets).toEqual(['new_1']);
    expect((await patch(id, { secrets: null })).body.secretCount).toBe(0);
    expect((await stored(id)).secrets).toEqual([]);
  });

  it('RevenueCat has its own authorization value and stores', async () => {
    const body = {
      processor: 'revenuecat',
      authorization: 'Bearer of RevenueCat',
      countStores: ['app_store', 'STRIPE'],
    };
    const created = await post(body);
    expect(created.body).toMatchObject({
      hasAuthorization: true,
      secretCount: 0,
      countStores: ['APP_STORE', 'STRIPE'],
    });
    expect(created.text).not.toContain('Bearer of');
    const { id } = created.body;
    expect((await patch(id, { secrets: ['hmac'] })).body).toMatchObject({ hasAuthorization: true, secretCount: 1 });
    expect(await stored(id)).toMatchObject({ secrets: ['hmac'], authorization: 'Bearer of RevenueCat' });
    const cleared = await patch(id, { authorization: null, countStores: null });
    expect(cleared.body).toMatchObject({ hasAuthorization: false, countStores: null });
    expect(await stored(id)).toMatchObject({ secrets: ['hmac'], authorization: null });
  });

  it.each([
    ['Ada-Shop.MyShopify.com', 'ada-shop.myshopify.com'],
    ['shop.example.com', 'shop.example.com'],
  ])('Shopify is bound to its shop %s', async (shopDomain, expected) => {
    const { body } = await post({ processor: 'shopify', shopDomain });
    expect(body.shopDomain).toBe(expected);
    expect((await stored(body.id)).shopDomain).toBe(expected);
  });

  it.each([
    ['stripe', ['whsec_sk_live_1', 'sk', 'skk_live_1']],
    ['paddle', ['pdl_ntfset_01ex_apikey', 'pdl_1']],
    ['polar', ['polar_whs_1', 'whsec_polar_oat_1', 'polar']],
    ['shopify', ['shpss_1', '0123456789abcdef']],
    ['revenuecat', ['sk_live_1']],
    ['lemon-squeezy', ['sk_live_1']],
  ])('%s may have any secret that is no API key', async (processor, secrets) => {
    const { body } = await post({ processor, secrets });
    expect(await stored(body.id)).toMatchObject({ secrets });
  });

  it('Stripe may count bare payment intents', async () => {
    const { body } = await post({ processor: 'stripe', countPaymentIntents: true });
    expect(body.countPaymentIntents).toBe(true);
  });

  it.each([
    [{}, `processor: must be one of ${PROCESSORS.join(', ')}`],
    [{ processor: 'paypal' }, 'processor: must be one of'],
    [{ processor: 'stripe', secrets: ['ok', ' '] }, 'secrets.1: must not be empty'],
    [{ processor: 'stripe', secrets: 'whsec_1' }, 'secrets: must be an array'],
    [{ processor: 'stripe', secrets: ['whsec_1', 'rk_live_51Ex'] }, 'secrets.1: is an API key: set the signing secret'],
    [{ processor: 'stripe', secrets: ['pk_test_51Ex'] }, 'secrets.0: is an API key'],
    [{ processor: 'paddle', secrets: ['pdl_live_apikey_01Ex'] }, 'set the secret key of the notification destination'],
    [
      { processor: 'polar', secrets: ['polar_oat_Ex'] },
      'secrets.0: is an API key: set the secret of the webhook endpoint',
    ],
    [{ processor: 'shopify', secrets: ['shpat_Ex'] }, 'secrets.0: is an API key: set the client secret of the app'],
    [{ processor: 'stripe', secrets: ['x'.repeat(256)] }, 'secrets.0: must have at most 255 characters'],
    [{ processor: 'revenuecat', authorization: '' }, 'authorization: must not be empty'],
    [{ processor: 'stripe', authorization: 'x' }, 'authorization: is for revenuecat endpoints only'],
    [{ processor: 'stripe', authorization: false }, 'authorization: is for revenuecat endpoints only'],
    [{ processor: 'paddle', shopDomain: 'a.myshopify.com' }, 'shopDomain: is for shopify endpoints only'],
    [{ processor: 'shopify', countStores: ['APP_STORE'] }, 'countStores: is for revenuecat endpoints only'],
    [{ processor: 'polar', countPaymentIntents: true }, 'countPaymentIntents: is for stripe endpoints only'],
    [{ processor: 'shopify', shopDomain: 'https://a.myshopify.com' }, 'shopDomain: must be the domain of the shop'],
    [{ processor: 'shopify', shopDomain: 'shop' }, 'shopDomain: must be the domain of the shop'],
    [{ processor: 'revenuecat', countStores: [] }, 'countStores: must name at least one store'],
    [{ processor: 'revenuecat', countStores: ['App Store'] }, 'countStores.0: must be a store'],
    [{ processor: 'stripe', acceptTestEvents: 'yes' }, 'acceptTestEvents: must be a boolean'],
  ])('%j is refused, and the error repeats no value', async (body, problem) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(answer.body.error.message).toContain(problem);
  });

  it('a package that cannot be loaded is reported on creation, and nothing is stored', async () => {
    const before = (await app.call('GET', '/api/webhook-endpoints?limit=100')).body.data.length;
    adapterFor.mockRejectedValueOnce(new Error('Cannot find package'));
    expect((await post({ processor: 'paddle' })).status).toBe(500);
    expect(adapterFor).toHaveBeenLastCalledWith('paddle');
    expect((await app.call('GET', '/api/webhook-endpoints?limit=100')).body.data).toHaveLength(before);
  });

  it('the processor is part of the URL and cannot be changed', async () => {
    const { id } = (await post({ processor: 'stripe' })).body;
    const answer = await patch(id, { processor: 'paddle' });
    expect(answer.body.error.message).toMatch(/^processor: cannot be changed/);
  });

  it("an endpoint is for every program, until it is limited to one of the account's", async () => {
    const { apiKey: key, programId } = await app.addAccount('Programs Ltd');
    const created = (await post({ processor: 'stripe' }, key)).body;
    expect(created.programId).toBe(programId);
    const second = (await app.call('POST', '/api/programs', { key, body: { name: 'Second' } })).body.id;
    expect((await post({ processor: 'stripe' }, key)).body.programId).toBeNull();
    expect((await post({ processor: 'stripe', programId: second }, key)).body.programId).toBe(second);
    const change = (body: object) => app.call('PATCH', `/api/webhook-endpoints/${created.id}`, { key, body });
    expect((await change({ programId: second })).body.programId).toBe(second);
    expect((await change({})).body.programId).toBe(second);
    expect((await change({ programId: app.programId })).status).toBe(404);
    expect((await change({ programId })).body.programId).toBe(programId);
    expect((await change({ programId: null })).body.programId).toBeNull();
  });

  it('a deleted endpoint does not exist any more, nor do its secrets', async () => {
    const { id } = (await post({ processor: 'stripe', secrets: [SECRET] })).body;
    const path = `/api/webhook-endpoints/${id}`;
    expect(await app.call('DELETE', path)).toMatchObject({ status: 204, text: '' });
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expect((await app.call(method, path, method === 'PATCH' ? { body: {} } : {})).status, method).toBe(404);
    }
    const ids = (await app.call('GET', '/api/webhook-endpoints?limit=100')).body.data.map(
      (row: { id: string }) => row.id,
    );
    expect(ids).not.toContain(id);
    const row = await app.service.database.read((tx) =>
      tx.get('SELECT sealed_secrets AS "sealed", secret_counts AS "counts" FROM webhook_endpoints WHERE id = @id', {
        id,
      }),
    );
    expect(row).toEqual({ sealed: null, counts: '{}' });
    expect(await app.service.database.read((tx) => findEndpointForDelivery(tx, id, 'stripe'))).toBeUndefined();
  });

  it('a delivery finds its endpoint only under its own processor', async () => {
    const { id } = (await post({ processor: 'stripe' })).body;
    const find = (processor: 'stripe' | 'paddle') =>
      app.service.database.read((tx) => findEndpointForDelivery(tx, id, processor));
    expect(await find('stripe')).toMatchObject({ id, accountId: app.accountId, programId: null });
    expect(await find('paddle')).toBeUndefined();
  });

  it('it shows when its last delivery arrived, to the minute', async () => {
    const { id } = (await post({ processor: 'stripe' })).body;
    const shown = async () => (await app.call('GET', `/api/webhook-endpoints/${id}`)).body.lastDeliveryAt;
    const times: (string | null)[] = [await shown()];
    for (const receivedAt of [5_000, 64_000, 65_000]) {
      await app.service.database.write(async (tx) => touchTraffic(tx, id, receivedAt));
      times.push(await shown());
    }
    const [first, second] = ['1970-01-01T00:00:05.000Z', '1970-01-01T00:01:05.000Z'];
    expect(times).toEqual([null, first, first, second]);
  });

  it('another account cannot see, change or delete it', async () => {
    const { apiKey: key } = await app.addAccount('Other Ltd');
    const { body } = await post({ processor: 'stripe', secrets: [SECRET] });
    const path = `/api/webhook-endpoints/${body.id}`;
    expect((await app.call('GET', path, { key })).status).toBe(404);
    expect((await app.call('PATCH', path, { key, body: { secrets: ['mine'] } })).status).toBe(404);
    expect((await app.call('DELETE', path, { key })).status).toBe(404);
    expect((await app.call('GET', '/api/webhook-endpoints', { key })).body.data).toEqual([]);
    expect((await app.call('GET', path)).body).toEqual(body);
    expect((await stored(body.id)).secrets).toEqual([SECRET]);
  });
});
