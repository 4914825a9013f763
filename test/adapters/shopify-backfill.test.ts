import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BackfillRequest, DeliveryRequest } from '../../adapters/contract/adapter.ts';
import shopify from '../../adapters/shopify/index.ts';
import { isoTime } from '../../src/core/time.ts';
import { ServiceError } from '../../src/errors.ts';
import { requestTo, SHOP, type ShopApi, startShop, TOKEN } from './shopify-api.ts';
import { bodyOf } from './shopify-bodies.ts';

let shop: ShopApi;
beforeEach(async () => {
  shop = await startShop();
});
afterEach(() => shop.close());

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2026, 9, 1);

/** The paid order of the fixtures, created and updated on this day of the test. */
function orderOf(id: number, day = id, changes: Record<string, unknown> = {}): string {
  const at = isoTime(FIRST_DAY + day * DAY_MS);
  return JSON.stringify({ ...bodyOf('orders_paid'), id, created_at: at, updated_at: at, ...changes });
}

async function readPage(changes: Partial<BackfillRequest> = {}) {
  const backfill = await shopify.backfill?.();
  if (!backfill) throw new Error('The adapter reads nothing back');
  return backfill.readPage(requestTo(shop, changes));
}

/** The ids of the orders on each page. The disputes follow. */
async function readAll(changes: Partial<BackfillRequest> = {}): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  let cursor: string | null = null;
  do {
    const page = await readPage({ ...changes, cursor });
    pages.push(page.deliveries.map(idOf));
    cursor = page.cursor;
  } while (cursor !== 'disputes' && pages.length < 10);
  return pages;
}

function idOf({ rawBody }: DeliveryRequest): unknown {
  return JSON.parse(rawBody.toString('utf8')).id;
}

async function errorOf(changes: Partial<BackfillRequest> = {}): Promise<ServiceError> {
  const error = await readPage(changes).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ServiceError)) throw new Error(`No error of the service: ${error}`);
  expect(error.message).not.toContain(TOKEN);
  return error;
}

/** Answers the next requests instead of the shop. */
function answerWith(status: number, body: string, headers: Record<string, string> = {}): void {
  shop.fault = (response) => Boolean(response.writeHead(status, headers).end(body));
}

describe('orders of a shop', () => {
  it('are read page by page, the oldest first, each once', async () => {
    shop.orders = [3, 1, 5, 2, 4].map((id) => orderOf(id));
    shop.perPage = 2;
    expect(await readAll()).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('are asked for with the largest page, every status and the times, and then by page only', async () => {
    shop.orders = [1, 2].map((id) => orderOf(id));
    shop.perPage = 1;
    await readAll({ since: FIRST_DAY, until: FIRST_DAY + 5 * DAY_MS });
    expect(shop.requests.map(({ path }) => path)).toEqual(Array(2).fill('/admin/api/2026-10/orders.json'));
    expect(shop.requests[0]?.query).toEqual({
      limit: '50',
      status: 'any',
      order: 'created_at asc',
      updated_at_min: '2026-10-01T00:00:00.000Z',
      created_at_max: '2026-10-06T00:00:00.000Z',
    });
    expect(shop.requests[1]?.query).toEqual({ limit: '50', page_info: expect.any(String) });
  });

  it('are those updated since then, however long ago they were created, and not those created after the reading began', async () => {
    const old = orderOf(2, 9, { created_at: '2025-01-01T00:00:00Z' });
    const archived = orderOf(3, 10, { closed_at: '2026-10-10T00:00:00Z' });
    shop.orders = [orderOf(1, 2), old, archived, orderOf(4, 20)];
    expect(await readAll({ since: FIRST_DAY + 5 * DAY_MS, until: FIRST_DAY + 15 * DAY_MS })).toEqual([[2, 3]]);
  });

  it('are read although they are updated between two pages', async () => {
    shop.orders = [1, 2, 3].map((id) => orderOf(id));
    shop.perPage = 1;
    const until = FIRST_DAY + 4 * DAY_MS;
    const { cursor } = await readPage({ until });
    shop.orders = [orderOf(1), orderOf(2, 2, { updated_at: isoTime(until + DAY_MS) }), orderOf(3)];
    const next = await readPage({ until, cursor });
    const last = await readPage({ until, cursor: next.cursor });
    expect([next, last].map(({ deliveries }) => deliveries.map(idOf))).toEqual([[2], [3]]);
    expect(last.cursor).toBe('disputes');
  });

  it('may be none', async () => {
    expect(await readPage()).toEqual({ deliveries: [], cursor: 'disputes' });
  });

  it('are read below the path of another address', async () => {
    await shop.close();
    shop = await startShop('/sandbox/shopify');
    shop.orders = [orderOf(1)];
    for (const end of ['', '/']) {
      const apiUrl = `${shop.url}/sandbox/shopify${end}`;
      const { deliveries } = await readPage({ settings: { apiUrl, shopDomain: SHOP } });
      expect(deliveries.map(idOf)).toEqual([1]);
    }
  });

  it('become deliveries of this shop without a signature, the same ones each time', async () => {
    shop.orders = [orderOf(1)];
    const [delivery] = (await readPage()).deliveries;
    expect(delivery?.headers).toEqual({
      'content-type': 'application/json',
      'x-shopify-topic': 'orders/paid',
      'x-shopify-shop-domain': SHOP,
      'x-shopify-api-version': '2026-10',
      'x-shopify-webhook-id': expect.stringMatching(/^backfill_[0-9a-f]{32}$/),
    });
    expect((await readPage()).deliveries).toEqual([delivery]);
    shop.orders = [orderOf(1, 2)];
    expect((await readPage()).deliveries[0]?.headers).not.toEqual(delivery?.headers);
  });
});

describe('a request that fails', () => {
  beforeEach(() => {
    shop.orders = [orderOf(1), orderOf(2)];
  });

  it('for the rate limit can be repeated after the time that Shopify names, and is not repeated here', async () => {
    answerWith(429, '{"errors":"Exceeded 2 calls per second for api client."}', {
      'retry-after': '2.0',
      'x-shopify-shop-api-call-limit': '40/40',
    });
    expect(await errorOf()).toMatchObject({
      code: 'UNAVAILABLE',
      message: 'Shopify did not answer the request for orders: status 429',
      retryAfterSeconds: 2,
    });
    expect(shop.requests).toHaveLength(1);
  });

  it.each([500, 502, 503, 504])('with status %i can be repeated, and is not repeated here', async (status) => {
    answerWith(status, '<html>Something went wrong</html>', { 'retry-after': 'soon' });
    expect(await errorOf()).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: undefined });
    expect(shop.requests).toHaveLength(1);
  });

  it.each([
    ['with its length', { 'content-length': '100000' }],
    ['in chunks', {}],
    ['until the connection ends', { connection: 'close', 'transfer-encoding': 'identity' }],
  ])('because its answer was cut off, sent %s, can be repeated and returns no order', async (_how, headers) => {
    const half = `{"orders":[${orderOf(1)},${orderOf(2).slice(0, 500)}`;
    shop.fault = (response) => {
      response.writeHead(200, headers);
      return response.write(half, () => setImmediate(() => response.destroy()));
    };
    expect(await errorOf()).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('because the token is wrong says so and names the scope', async () => {
    expect(await errorOf({ accessToken: 'shpat_other' })).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^Shopify refused the access token for orders \(401\).*read_orders/),
    });
  });

  it.each([
    [400, '{"errors":{"order":["is not a field"]}}', 'order : is not a field'],
    [402, '{"errors":"Unavailable Shop"}', 'Unavailable Shop'],
    [404, '{"errors":"Not Found"}', 'Not Found'],
    [422, `{"error":"token ${TOKEN}"}`, 'token …'],
    [423, '<html></html>', 'without a reason'],
  ])('with status %i is final and says what Shopify said', async (status, body, words) => {
    answerWith(status, body);
    const message = `Shopify answered the request for orders with status ${status}: ${words}`;
    expect(await errorOf()).toMatchObject({ code: 'VALIDATION_ERROR', message });
  });

  it('never quotes a part of the token, however long the reason is', async () => {
    for (const length of [280, 290, 299]) {
      answerWith(422, `{"errors":"${'x'.repeat(length)}${TOKEN}"}`);
      expect((await errorOf()).message).toMatch(/: x+…?$/);
    }
  });

  it('with a redirect is final, and the other address gets nothing', async () => {
    const other = await startShop();
    answerWith(301, '', { location: `${other.url}/admin/api/2026-10/orders.json` });
    expect(await errorOf()).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/301: a redirect, which is not followed$/),
    });
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it('because nobody listens says what the network said', async () => {
    await shop.close();
    const error = await errorOf();
    expect(error.code).toBe('UNAVAILABLE');
    expect(error.message).toBe('Shopify did not answer the request for orders: the connection failed (ECONNREFUSED)');
  });

  it.each([
    ['before the answer', (response: ServerResponse) => response.socket !== null],
    ['during the answer', (response: ServerResponse) => response.write('{"orders":[')],
  ])('because the caller ended it %s is not waited for', async (_when, hang) => {
    const ending = new AbortController();
    shop.fault = (response) => {
      setImmediate(() => ending.abort());
      return hang(response);
    };
    const error = await errorOf({ signal: ending.signal });
    expect(error.code).toBe('UNAVAILABLE');
    expect(error.message).toMatch(/: the request was ended$/);
  });

  it('because it takes longer than 20 s is not waited for', async () => {
    const { timeout } = AbortSignal;
    const timeouts = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, ms / 1_000));
    shop.fault = () => true;
    const error = await errorOf();
    expect(error.code).toBe('UNAVAILABLE');
    expect(error.message).toMatch(/: no answer within 20 s$/);
    expect(timeouts.mock.calls).toEqual([[20_000]]);
    timeouts.mockRestore();
  });
});
