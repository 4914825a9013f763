import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BackfillRequest } from '../../adapters/contract/adapter.ts';
import { readPage } from '../../adapters/shopify/backfill.ts';
import shopify from '../../adapters/shopify/index.ts';
import { requestTo, SHOP, type ShopApi, startShop } from './shopify-api.ts';
import { fixture, SETTINGS } from './shopify-bodies.ts';

let shop: ShopApi;
beforeEach(async () => {
  shop = await startShop();
  shop.scopes.push('read_shopify_payments_disputes');
});
afterEach(() => shop.close());

const disputeOf = (name: string, changes: object = {}) =>
  JSON.stringify({ ...JSON.parse(fixture(name).toString('utf8')), ...changes });

async function readDisputes(changes: Partial<BackfillRequest> = {}) {
  const { deliveries, cursor, notRead } = await readPage(requestTo(shop, { cursor: 'disputes', ...changes }));
  return { ids: deliveries.map(({ rawBody }) => JSON.parse(rawBody.toString('utf8')).id), deliveries, cursor, notRead };
}

describe('the disputes of a shop', () => {
  it('are read after its orders, if the access token has a scope for them', async () => {
    expect((await readPage(requestTo(shop))).cursor).toBe('disputes');
    shop.disputes = [disputeOf('disputes_create')];
    for (const [scope, ids] of [
      ['read_shopify_payments_accounts', []],
      ['read_customers', []],
      ['read_shopify_payments', [8811203585]],
      ['read_shopify_payments_payouts', [8811203585]],
      ['read_shopify_payments_disputes', [8811203585]],
    ] as const) {
      shop.scopes = ['read_orders', scope];
      expect([scope, await readDisputes()]).toMatchObject([scope, { ids, cursor: null }]);
    }
    expect(shop.requests.at(-1)).toMatchObject({
      path: '/admin/api/2026-10/shopify_payments/disputes.json',
      query: {},
    });
  });

  it('come with what the access token may not read, once', async () => {
    shop.perPage = 1;
    shop.disputes = [disputeOf('disputes_create', { id: 2 }), disputeOf('disputes_create', { id: 1 })];
    const [oldOrders, disputes] = ['orders that were created more than 60 days ago', 'disputes'];
    for (const [scopes, notRead] of [
      [['read_orders'], [oldOrders, disputes]],
      [['read_all_orders'], [disputes]],
      [['read_shopify_payments_payouts'], [oldOrders]],
      [['read_all_orders', 'read_shopify_payments_disputes'], []],
    ] as const) {
      shop.scopes = [...scopes];
      // older orders may have changed since then, however short the time is
      for (const since of [Date.UTC(2026, 8, 1), Date.UTC(2026, 10, 29)]) {
        expect((await readDisputes({ since })).notRead?.map(({ what }) => what)).toEqual(notRead);
      }
    }
    expect(await readDisputes({ cursor: 'disputes 1' })).toMatchObject({ ids: [1], notRead: [] });
  });

  it.each([400, 403, 404, 405])('are not read where the scopes are answered with status %i', async (status) => {
    shop.disputes = [disputeOf('disputes_create')];
    shop.scopesStatus = status;
    const reason =
      'the access scopes of the token are unknown, because apiUrl does not serve /admin/oauth/access_scopes.json';
    const notRead = [
      {
        what: 'orders that were created more than 60 days ago, unless the token has the access scope read_all_orders',
        reason,
      },
      { what: 'disputes', reason },
    ];
    expect(await readDisputes()).toEqual({ ids: [], deliveries: [], cursor: null, notRead });
    expect(shop.requests).toEqual([]);
  });

  it.each([
    [401, 'VALIDATION_ERROR', /access scopes \(401\): check it; it needs to belong to this shop$/],
    [302, 'VALIDATION_ERROR', /status 302: a redirect/],
    [429, 'UNAVAILABLE', /for access scopes: status 429/],
    [503, 'UNAVAILABLE', /for access scopes: status 503/],
  ])('are not given up where the scopes are answered with status %i', async (status, code, message) => {
    shop.scopesStatus = status;
    await expect(readDisputes()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    // the orders of the last page do not wait for it
    expect((await readPage(requestTo(shop))).cursor).toBe('disputes');
  });

  it.each(['disputes_create', 'disputes_create--inquiry', 'disputes_update--won', 'disputes_update--lost'])(
    'say what the webhook %s says',
    async (name) => {
      shop.disputes = [disputeOf(name)];
      const { deliveries } = await readDisputes();
      const [delivery] = deliveries;
      if (delivery === undefined) throw new Error('Nothing was read');
      const interpret = (rawBody: Buffer, headers: Record<string, string>) =>
        shopify.interpret(shopify.read({ rawBody, headers }), headers, SETTINGS);
      const topic = name.replace(/^(disputes)_([a-z]+).*/, '$1/$2');
      expect(interpret(delivery.rawBody, delivery.headers as Record<string, string>)).toEqual(
        interpret(fixture(name), { 'x-shopify-topic': topic }),
      );
      expect(delivery.headers).toMatchObject({
        'x-shopify-topic': topic,
        'x-shopify-shop-domain': SHOP,
        'x-shopify-webhook-id': expect.stringMatching(/^backfill_[0-9a-f]{32}$/),
      });
    },
  );

  it('are those that are open or were decided since then, page by page', async () => {
    const since = Date.UTC(2026, 9, 1);
    shop.perPage = 2;
    shop.disputes = [
      disputeOf('disputes_create', { id: 7, initiated_at: '2026-12-09T00:00:00Z' }),
      disputeOf('disputes_create', { id: 6, initiated_at: '2026-10-02T00:00:00Z' }),
      disputeOf('disputes_update--won', { id: 5, initiated_at: '2026-08-02T00:00:00Z', finalized_on: '2026-10-02' }),
      disputeOf('disputes_update--lost', { id: 4, initiated_at: '2026-08-01T00:00:00Z', finalized_on: null }),
      disputeOf('disputes_update--won', { id: 3, initiated_at: '2026-07-01T00:00:00Z', finalized_on: '2026-09-02' }),
      disputeOf('disputes_create', { id: 2, initiated_at: '2026-01-01T00:00:00Z' }),
      disputeOf('disputes_create', { id: 1, initiated_at: '2025-12-01T00:00:00Z' }),
    ].map((text) => text.replace(/"finalized_on":"([0-9-]+)"/, '"finalized_on":"$1T00:00:00Z"'));
    const pages: unknown[] = [];
    let cursor: string | null = 'disputes';
    while (cursor !== null) {
      const page = await readDisputes({ cursor, since });
      pages.push(page.ids);
      cursor = page.cursor;
    }
    // the last page is not asked for
    expect(pages).toEqual([[6], [5, 4], [2]]);
    expect(shop.requests.map(({ query }) => query)).toEqual([{}, { page_info: '2' }, { page_info: '4' }]);
  });

  it('contain a chargeback that began as an inquiry before then', async () => {
    const initiated_at = '2026-09-20T00:00:00Z';
    const since = Date.UTC(2026, 9, 1);
    shop.disputes = [disputeOf('disputes_create--inquiry', { initiated_at })];
    const [inquiry] = (await readDisputes({ since })).deliveries;
    shop.disputes = [disputeOf('disputes_create', { initiated_at })];
    const [chargeback] = (await readDisputes({ since })).deliveries;
    if (inquiry === undefined || chargeback === undefined) throw new Error('Nothing was read');
    expect(chargeback.headers).not.toEqual(inquiry.headers);
    const delivery = shopify.read(chargeback as { rawBody: Buffer; headers: Record<string, string> });
    expect(shopify.interpret(delivery, chargeback.headers as Record<string, string>, SETTINGS)).toMatchObject({
      facts: [{ kind: 'payment.disputed' }],
    });
  });

  it.each([
    [403, 'VALIDATION_ERROR', /disputes \(403\): check it; it needs the access scope read_shopify_payments_disputes/],
    [429, 'UNAVAILABLE', /for disputes: status 429/],
  ])('that Shopify refuses with status %i say so', async (status, code, message) => {
    shop.fault = (response) => Boolean(response.writeHead(status).end('{"errors":"no"}'));
    await expect(readDisputes()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it.each([
    ['{"disputes":[{"id":1,"status":"won"}]}', /a dispute \(1\) of an unexpected form: initiated_at/],
    ['{"orders":[]}', /it contains no list of disputes/],
  ])('of another form end the reading: %s', async (body, message) => {
    shop.fault = (response) => Boolean(response.writeHead(200).end(body));
    await expect(readDisputes()).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(message),
    });
  });
});
