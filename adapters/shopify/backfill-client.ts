import { createAdminRestApiClient } from '@shopify/admin-api-client';
import { ServiceError } from '../../src/errors.ts';
import type { BackfillRequest } from '../contract/adapter.ts';
import { type ApiCall, createApiCall, failureOf } from '../contract/api-call.ts';
import { apiError } from '../contract/backfill.ts';
import { guide } from './guide.ts';
import type { Settings } from './settings.ts';
import { API_VERSION } from './sign.ts';

export interface Answer {
  body: Buffer;
  /** The address of the pages before and after this one. */
  link: string | null;
}

/** A list of the REST Admin API. */
export interface ShopList {
  /** In errors. */
  what: string;
  permission: string;
  path: string;
  /** Of the first page: with a later one, Shopify takes no other parameter than the limit. */
  query: Record<string, string>;
  /** How many records are asked for, and how many if their answer is too large; null: as many as Shopify likes. */
  limits: readonly (number | null)[];
}

/**
 * Requests a page of a list.
 *
 * @throws ServiceError as `ReadBackfillPage`
 */
export async function requestPage(request: BackfillRequest, shopDomain: string, list: ShopList): Promise<Answer> {
  for (const limit of list.limits) {
    const answer = await requestRecords(request, shopDomain, { ...list, limit });
    if (answer !== null) return answer;
  }
  throw unexpected(list, 'an answer of more than 16 MiB, which is not read');
}

/**
 * Requests what another address than Shopify's own need not serve. Null if it refuses for another reason than the access token.
 *
 * @throws ServiceError as `ReadBackfillPage`
 */
export async function requestIfServed(
  request: BackfillRequest,
  shopDomain: string,
  list: ShopList,
): Promise<Answer | null> {
  const { call, body } = await send(request, shopDomain, { ...list, limit: null });
  const failure = failureOfList(call, request, list, body);
  if (failure === null) return answerOf(call, body);
  const status = call.head?.status ?? 0;
  if (failure.code === 'VALIDATION_ERROR' && status >= 400 && status < 500 && status !== 401) return null;
  throw failure;
}

/** Null if the answer is too large. */
async function requestRecords(
  request: BackfillRequest,
  shopDomain: string,
  list: ShopList & { limit: number | null },
): Promise<Answer | null> {
  const { call, body } = await send(request, shopDomain, list);
  if (call.isTooLarge && call.head?.status === 200) return null;
  const failure = failureOfList(call, request, list, body);
  if (failure !== null) throw failure;
  return answerOf(call, body);
}

function answerOf({ head }: ApiCall, body: Buffer): Answer {
  return { body, link: head?.headers.get('link') ?? null };
}

function failureOfList(
  call: ApiCall,
  { accessToken }: BackfillRequest,
  { what, permission }: ShopList,
  body: Buffer,
): ServiceError | null {
  return failureOf(call, { processor: guide.name, what, permission, accessToken }, () =>
    statedIn(body.toString('utf8')),
  );
}

/** The body is empty if there is none, or if it was not read to its end. */
async function send(
  request: BackfillRequest,
  shopDomain: string,
  { limit, ...list }: ShopList & { limit: number | null },
): Promise<{ call: ApiCall; body: Buffer }> {
  const { accessToken, cursor } = request;
  const { origin, protocol, pathname } = apiAddress(request.settings as Settings, shopDomain);
  const call = createApiCall(request);
  const client = createAdminRestApiClient({
    storeDomain: origin,
    scheme: protocol === 'http:' ? 'http' : 'https',
    apiVersion: API_VERSION,
    accessToken,
    // it would put the version before the path of another address
    formatPaths: false,
    logger: () => {},
    customFetchApi: call.send,
  });
  const page = cursor === null ? list.query : { page_info: cursor };
  const path = `${pathname}/${list.path}`.replace(/^\/+/, '');
  const searchParams = limit === null ? page : { limit, ...page };
  const body = await client
    .get(path, { searchParams })
    // how it fails, the call tells
    .then(
      async (response) => Buffer.from(await response.arrayBuffer()),
      () => Buffer.alloc(0),
    );
  return { call, body };
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

/** What the answer says about its failure. */
function statedIn(text: string): string {
  const errors = /"errors?"\s*:\s*(.*)/s.exec(text)?.[1] ?? '';
  return errors.replace(/[{}[\]"\s]+/g, ' ').trim() || 'without a reason';
}

/** The error of an answer that can be read, but not used. */
export function unexpected({ what, permission }: Pick<ShopList, 'what' | 'permission'>, reason: string): ServiceError {
  return apiError({ processor: guide.name, what, status: 200, reason, permission });
}

export function invalid(message: string): ServiceError {
  return new ServiceError('VALIDATION_ERROR', message);
}
