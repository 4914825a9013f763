import { createAdminRestApiClient } from '@shopify/admin-api-client';
import { isoTime } from '../../src/core/time.ts';
import { ServiceError } from '../../src/errors.ts';
import type { BackfillPage, BackfillRequest, DeliveryRequest } from '../contract/adapter.ts';
import { apiError } from '../contract/backfill.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { deliveriesOf } from './backfill-orders.ts';
import { guide } from './guide.ts';
import { elementsOf, startOfMember } from './json-slices.ts';
import type { Settings } from './settings.ts';
import { API_VERSION } from './sign.ts';

/** At most 250 (https://shopify.dev/docs/api/admin-rest/2026-10/resources/order), but reading as many holds up other requests. */
const ORDERS_PER_PAGE = 50;
const TIMEOUT_MS = 20_000;
const REASON_MAX = 300;

interface Answer {
  body: Buffer;
  /** The address of the pages before and after this one. */
  link: string | null;
}

/**
 * Reads the orders that were updated since then, from the REST Admin API, whose orders are written as in webhooks. The
 * oldest comes first, because which sale of a customer is the first decides about commission. An order that is updated
 * meanwhile stays in its place. Therefore no time limits `updated_at`: `created_at` leaves out what is newer than the reading.
 */
export async function readPage(request: BackfillRequest): Promise<BackfillPage> {
  const { shopDomain } = request.settings as Settings;
  if (shopDomain === null) {
    throw invalid('Set the shopDomain of this endpoint, such as example.myshopify.com: its orders are read');
  }
  const { body, link } = await requestOrders(request, shopDomain);
  const deliveries = deliveriesIn(body, shopDomain);
  const cursor = nextPageOf(link);
  if (cursor !== null && cursor === request.cursor) throw unexpected('its next page would be the same page again');
  return { deliveries, cursor };
}

async function requestOrders(request: BackfillRequest, shopDomain: string): Promise<Answer> {
  const { accessToken, cursor, since, until, fetch: send, signal } = request;
  // the error about such a header would quote it
  if (!/^[\x21-\x7e]+$/.test(accessToken))
    throw invalid('The access token contains characters that no access token has');
  const { origin, protocol, pathname } = apiAddress(request.settings as Settings, shopDomain);
  const client = createAdminRestApiClient({
    storeDomain: origin,
    scheme: protocol === 'http:' ? 'http' : 'https',
    apiVersion: API_VERSION,
    accessToken,
    // it would put the version before the path of another address
    formatPaths: false,
    logger: () => {},
    // has no options for a signal and redirects; a redirect would take the access token with it
    customFetchApi: (url, init) => {
      const ends = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      return send(url, { ...init, signal: ends, redirect: 'manual' }).catch(throwItsCause);
    },
  });
  // with a page, Shopify takes no other parameter than the limit
  const page: Record<string, string> =
    cursor !== null
      ? { page_info: cursor }
      : {
          status: 'any',
          order: 'created_at asc',
          updated_at_min: isoTime(since),
          created_at_max: isoTime(until),
        };
  const path = `${pathname}/admin/api/${API_VERSION}/orders.json`.replace(/^\/+/, '');
  const searchParams = { limit: ORDERS_PER_PAGE, ...page };
  const { response, body } = await client
    .get(path, { searchParams })
    .then(async (response) => ({ response, body: Buffer.from(await response.arrayBuffer().catch(throwItsCause)) }))
    .catch((error: Error) => {
      throw failed(null, error.message.replace(/^Admin API Client: /, ''));
    });
  if (!response.ok) {
    const text = body.toString('utf8').replaceAll(accessToken, '…');
    throw failed(response.status, reasonOf(response.status, text), response.headers.get('retry-after'));
  }
  return { body, link: response.headers.get('link') };
}

/** Only a shop of Shopify gets the access token, unless the operator of this service allows another address. */
function apiAddress({ apiUrl }: Settings, shopDomain: string): URL {
  if (apiUrl !== null) {
    const address = new URL(apiUrl);
    address.pathname = address.pathname.replace(/\/+$/, '');
    return address;
  }
  if (!shopDomain.endsWith('.myshopify.com')) {
    throw invalid(
      `The shopDomain ${shopDomain} of this endpoint must be the shop's own, which ends with .myshopify.com`,
    );
  }
  return new URL(`https://${shopDomain}`);
}

/** The package keeps only the message of an error, and that of `fetch` says nothing. */
function throwItsCause(error: Error): never {
  throw error.cause instanceof Error && error.cause.message !== '' ? error.cause : error;
}

/** The deliveries of every order in the answer, whose bodies are parts of its text. */
function deliveriesIn(answer: Buffer, shopDomain: string): DeliveryRequest[] {
  const payload = parseExactJson(answer);
  if (payload === null) throw failed(null, 'the answer is not JSON, or was cut off');
  const { orders } = payload;
  const json = answer.toString('utf8');
  const start = startOfMember(json, 'orders');
  if (!Array.isArray(orders) || !orders.every(isObject) || start === undefined) {
    throw unexpected('it contains no list of orders');
  }
  return elementsOf(json, start).flatMap((text, index) => deliveriesOf(text, orders[index] ?? {}, shopDomain));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The `page_info` of the next page; null on the last one. The rest of the link is not read, because the access token must
 * stay at this address. https://shopify.dev/docs/api/admin-rest/usage/pagination
 */
function nextPageOf(link: string | null): string | null {
  if (link === null || !/rel="?\{?next/.test(link)) return null;
  const address = /<([^<>]*)>\s*;\s*rel="?\{?next/.exec(link)?.[1] ?? '';
  const page = URL.parse(address)?.searchParams.get('page_info');
  if (!page) throw unexpected('its link to the next page names no page');
  return page;
}

/** What the answer says about its failure. */
function reasonOf(status: number, text: string): string {
  if (status >= 300 && status < 400) return 'it redirects to another address, which does not get the access token';
  const errors = /"errors?"\s*:\s*(.*)/s.exec(text)?.[1] ?? '';
  const words = errors.replace(/[{}[\]"\s]+/g, ' ').trim();
  return words === '' ? 'without a reason' : words.slice(0, REASON_MAX);
}

function failed(status: number | null, reason: string, retryAfter: string | null = null): ServiceError {
  const seconds = retryAfter === null ? Number.NaN : Math.ceil(Number(retryAfter));
  return apiError({
    processor: guide.name,
    what: 'orders',
    status,
    reason,
    retryAfterSeconds: Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined,
    permission: 'permission' in guide.backfill ? guide.backfill.permission : '',
  });
}

function unexpected(reason: string): ServiceError {
  return failed(200, reason);
}

function invalid(message: string): ServiceError {
  return new ServiceError('VALIDATION_ERROR', message);
}
