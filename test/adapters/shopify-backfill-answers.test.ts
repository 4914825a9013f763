import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BackfillRequest } from '../../adapters/contract/adapter.ts';
import { readPage } from '../../adapters/shopify/backfill.ts';
import { requestTo, SHOP, type ShopApi, startShop } from './shopify-api.ts';

let shop: ShopApi;
beforeEach(async () => {
  shop = await startShop();
});
afterEach(() => shop.close());

const read = (changes: Partial<BackfillRequest> = {}) => readPage(requestTo(shop, changes));
const linkTo = (query: string) => ({ link: `<https://${SHOP}/admin/api/2026-10/orders.json${query}>; rel="next"` });

function answerWith(body: string, headers: Record<string, string> = {}): void {
  shop.fault = (response) => Boolean(response.writeHead(200, headers).end(body));
}

describe('an answer of an unexpected form is an error:', () => {
  it.each([
    ['no text', ''],
    ['another page', '<html><body>Log in</body></html>'],
    ['half of an object', '{"orders":['],
    ['null', 'null'],
    ['a list', '[]'],
  ])('%s, which may be better next time', async (_what, body) => {
    answerWith(body);
    await expect(read()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'Shopify did not answer the request for orders: the answer is not JSON, or was cut off',
    });
  });

  it.each([
    ['no list of orders', '{"errors":"Not today"}'],
    ['orders that are no list', '{"orders":{}}'],
    ['an order that is no object', '{"orders":[{"id":1},"2"]}'],
    ['an order that is a list', '{"orders":[[]]}'],
  ])('%s', async (_what, body) => {
    answerWith(body);
    await expect(read()).rejects.toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringMatching(/orders$/) });
  });

  it.each([
    ['names none', '?limit=50', null],
    ['is no address', '>', null],
    ['is this page', '?page_info=this', 'this'],
  ])('a next page that %s', async (_what, query, cursor) => {
    answerWith('{"orders":[{"id":1}]}', linkTo(query));
    await expect(read({ cursor })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/next page/),
    });
  });
});

describe('the link to the next page', () => {
  it('only tells the page: the next request goes to the same address', async () => {
    const link = '<https://elsewhere.example.com/?page_info=two&limit=1>; rel="next"';
    answerWith('{"orders":[{"id":1}]}', { link });
    const { cursor } = await read();
    answerWith('{"orders":[{"id":2}]}');
    await read({ cursor });
    expect(shop.requests.map(({ query }) => query.page_info)).toEqual([undefined, 'two']);
  });

  it.each([
    [
      'after the link to the previous one',
      `<https://${SHOP}/?page_info=one>; rel="previous", <https://${SHOP}/?page_info=three>; rel="next"`,
    ],
    ['as the documentation writes it', `<https://${SHOP}/?page_info=three>; rel={next}`],
  ])('is found %s', async (_where, link) => {
    answerWith('{"orders":[{"id":1}]}', { link });
    expect((await read()).cursor).toBe('three');
  });

  it('is followed after a page without orders, too', async () => {
    answerWith('{"orders":[]}', linkTo('?page_info=more'));
    expect(await read({ cursor: 'this' })).toEqual({ deliveries: [], cursor: 'more' });
  });

  it('is none where only the previous page is named', async () => {
    answerWith('{"orders":[{"id":1}]}', { link: `<https://${SHOP}/?page_info=one>; rel="previous"` });
    expect((await read()).cursor).toBe('disputes');
  });
});

describe('nothing is requested', () => {
  it.each([
    ['without a shop', { apiUrl: null, shopDomain: null }, /^Set the shopDomain/],
    ['from a domain that is not of Shopify', { apiUrl: null, shopDomain: 'intranet.example.com' }, /myshopify\.com$/],
    ['from a domain that only ends like it', { apiUrl: null, shopDomain: 'evilmyshopify.com' }, /myshopify\.com$/],
  ])('%s', async (_what, settings, message) => {
    await expect(read({ settings })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(message),
    });
  });

  it.each(['shpat_a\nb', 'shpat_ä', 'shpat_€', 'two words'])(
    'with the access token %j, which no message quotes',
    async (accessToken) => {
      const error = await read({ accessToken }).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
      expect(String(error)).not.toContain(accessToken);
      expect(shop.requests).toEqual([]);
    },
  );
});
