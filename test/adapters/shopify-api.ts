import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { BackfillRequest } from '../../adapters/contract/adapter.ts';
import { type LocalServer, serveNode } from '../helpers/serve-fetch.ts';

export const TOKEN = 'shpat_of_fern_and_oak';
export const SHOP = 'fern-and-oak.myshopify.com';
const PATH = '/admin/api/2026-10/orders.json';
const DISPUTES = '/admin/api/2026-10/shopify_payments/disputes.json';
const SCOPES = '/admin/oauth/access_scopes.json';
/** As the documentation of pages says: the other parameters belong to the first request. */
const FILTERS = ['status', 'order', 'updated_at_min', 'created_at_max'];

/** Answers a request in place of the list; true when it did. */
type Fault = (response: ServerResponse, path: string) => boolean;

/** A shop's REST Admin API, as far as it lists orders and disputes. */
export interface ShopApi extends LocalServer {
  /** Orders as the API writes them, in any order. */
  orders: string[];
  /** As the API writes them, the newest first. */
  disputes: string[];
  /** Of the access token. */
  scopes: string[];
  /** With which they are answered. */
  scopesStatus: number;
  perPage: number;
  /** Those that are not about the scopes. */
  requests: { path: string; query: Record<string, string>; headers: IncomingHttpHeaders }[];
  fault: Fault;
}

/** Serves an empty shop on a free port of 127.0.0.1, below this path. */
export async function startShop(prefix = ''): Promise<ShopApi> {
  const server = await serveNode((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    const query = Object.fromEntries(url.searchParams);
    if (url.pathname === prefix + SCOPES) {
      response
        .writeHead(shop.scopesStatus)
        .end(JSON.stringify({ access_scopes: shop.scopes.map((handle) => ({ handle })) }));
      return;
    }
    shop.requests.push({ path: url.pathname, query, headers: request.headers });
    const answer = (status: number, body: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(body);
    if (shop.fault(response, url.pathname)) return;
    if (request.headers['x-shopify-access-token'] !== TOKEN) {
      answer(401, '{"errors":"[API] Invalid API key or access token (unrecognized login or wrong password)"}');
    } else if (url.pathname === prefix + DISPUTES) {
      const { texts, next } = disputesOf(shop, query);
      const link = next === null ? {} : { link: linkTo(url, next) };
      answer(200, `{"disputes":[${texts.join(',')}]}`, link);
    } else if (url.pathname !== prefix + PATH) {
      answer(404, '{"errors":"Not Found"}');
    } else if (query.page_info !== undefined && FILTERS.some((name) => name in query)) {
      answer(400, '{"errors":{"status":"status cannot be passed when page_info is present."}}');
    } else {
      const { texts, next } = pageOf(shop, query);
      const link = next === null ? {} : { link: linkTo(url, next) };
      answer(200, `{"orders":[${texts.join(',')}]}`, { 'x-shopify-shop-api-call-limit': '1/40', ...link });
    }
  });
  const shop: ShopApi = {
    ...server,
    orders: [],
    disputes: [],
    scopes: ['read_orders'],
    scopesStatus: 200,
    perPage: 50,
    requests: [],
    fault: () => false,
  };
  return shop;
}

function linkTo(url: URL, pageInfo: string): string {
  const limit = url.searchParams.get('limit');
  const page = (info: string) => `<https://${SHOP}${PATH}?limit=${limit}&page_info=${info}>`;
  return `${page('earlier')}; rel="previous", ${page(pageInfo)}; rel="next"`;
}

/** The page's token holds the filters and the last order, as Shopify's does. */
function pageOf({ orders, perPage }: ShopApi, query: Record<string, string>) {
  const { page_info: pageInfo, limit } = query;
  const filters = pageInfo === undefined ? query : JSON.parse(Buffer.from(pageInfo, 'base64url').toString());
  const last = filters.last ?? ['', ''];
  const rows = orders
    .map((text) => ({ text, ...JSON.parse(text) }))
    .filter(({ closed_at: closedAt }) => filters.status === 'any' || !closedAt)
    .filter(({ updated_at: at }) => Date.parse(at) >= Date.parse(filters.updated_at_min ?? '1970-01-01'))
    .filter(({ created_at: at }) => Date.parse(at) <= Date.parse(filters.created_at_max ?? '9999-01-01'))
    .map(({ text, created_at: at, id }) => ({
      text,
      place: [new Date(at).toISOString(), String(id).padStart(20, '0')],
    }))
    .sort((a, b) => compare(a.place, b.place))
    .filter(({ place }) => compare(place, last) > 0);
  const page = rows.slice(0, Math.min(perPage, Number(limit)));
  const next = { ...filters, last: page.at(-1)?.place };
  return {
    texts: page.map(({ text }) => text),
    next: rows.length > page.length ? Buffer.from(JSON.stringify(next)).toString('base64url') : null,
  };
}

function disputesOf({ disputes, perPage }: ShopApi, { page_info: start = '0' }: Record<string, string>) {
  const end = Number(start) + perPage;
  return { texts: disputes.slice(Number(start), end), next: end < disputes.length ? String(end) : null };
}

function compare(a: string[], b: string[]): number {
  return a.join() < b.join() ? -1 : Number(a.join() > b.join());
}

/** Asks this shop for everything of autumn 2026. */
export function requestTo({ url }: Pick<ShopApi, 'url'>, changes: Partial<BackfillRequest> = {}): BackfillRequest {
  return {
    accessToken: TOKEN,
    settings: { acceptTestEvents: false, apiUrl: url, shopDomain: SHOP },
    since: Date.UTC(2026, 8, 1),
    until: Date.UTC(2026, 10, 30),
    cursor: null,
    fetch: globalThis.fetch,
    signal: new AbortController().signal,
    ...changes,
  };
}
