import { createAdminRestApiClient } from '@shopify/admin-api-client';
import { ServiceError } from '../../src/errors.ts';
import type { BackfillRequest } from '../contract/adapter.ts';
import { createApiCall, failureOf } from '../contract/api-call.ts';
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

/** Null if the answer is too large. */
async function requestRecords(
  request: BackfillRequest,
  shopDomain: string,
  { limit, ...list }: ShopList & { limit: number | null },
): Promise<Answer | null> {
  const { accessToken, cursor } = request;
  // the error about such a header would quote it
  if (!/^[\x21-\x7e]+$/.test(accessToken))
    throw invalid('The access token contains characters that no access token has');
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
  if (call.isTooLarge && call.head?.status === 200) return null;
  const asked = { processor: guide.name, what: list.what, permission: list.permission, accessToken };
  const failure = failureOf(call, asked, statedIn(body.toString('utf8')));
  if (failure !== null) throw failure;
  return { body, link: call.head?.headers.get('link') ?? null };
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
