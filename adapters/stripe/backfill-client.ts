import { createRequire } from 'node:module';
import type StripeClient from 'stripe';
import { z } from 'zod';
import type { BackfillRequest } from '../contract/adapter.ts';
import { createApiCall, failureOf } from '../contract/api-call.ts';
import { type ApiFailure, apiError } from '../contract/backfill.ts';
import { PERMISSION } from './guide.ts';
import type { Settings } from './settings.ts';

/** The package's CommonJS form loads in half the time of the other, and holds up other requests for less than 50 ms. */
const Stripe: typeof StripeClient = createRequire(import.meta.url)('stripe');

/** Of the records that the API answers: the one for which the package and the schemas of this adapter are made. */
export const API_VERSION = '2026-10-28.endive';

/** The most that Stripe answers at once (https://docs.stripe.com/api/pagination). */
export const PAGE_SIZE = 100;

const pageSchema = z.object({
  object: z.literal('list'),
  has_more: z.boolean(),
  data: z.array(z.looseObject({ id: z.string().min(1), created: z.int() })).max(PAGE_SIZE),
});
export type Page = z.output<typeof pageSchema>;
export type ListedRecord = Page['data'][number];

/**
 * Requests one page of a list, once. Numbers become doubles, as they do in webhooks: Stripe's amounts are integers, and its
 * ids are texts. The package's methods for lists would replace decimal texts by objects; `rawRequest` answers what came.
 *
 * @param what the list, in errors
 * @param path with its parameters: `/v1/refunds?limit=100`
 * @throws ServiceError as `ReadBackfillPage`
 */
export async function requestPage(request: BackfillRequest, what: string, path: string): Promise<Page> {
  const { accessToken } = request;
  const call = createApiCall(request);
  const { origin, basePath } = addressOf(request);
  const stripe = new Stripe(accessToken, {
    ...origin,
    apiVersion: API_VERSION,
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(async (url, init) => withoutBareValue(await call.send(url, init))),
  });
  const asked = { processor: 'Stripe', what, permission: PERMISSION, accessToken };
  let body: unknown;
  try {
    body = await stripe.rawRequest('GET', basePath + path);
  } catch (error) {
    throw failureOf(call, asked, () => messageOf(error)) ?? stripeError(what, null, 'the answer is not JSON');
  }
  const failure = failureOf(call, asked, () => 'it gives no reason');
  if (failure !== null) throw failure;
  const page = pageSchema.safeParse(body);
  if (!page.success) throw unexpectedForm(what, page.error);
  return page.data;
}

/**
 * Reading the body fails if it is a JSON text, number or boolean. The package would never settle then, and end the
 * process by a rejection that nobody handles.
 */
function withoutBareValue(response: Response): Response {
  const read = response.text.bind(response);
  const value = async () => {
    const text = await read();
    if (!/^\s*[{[]/.test(text)) throw new SyntaxError('The answer is not an object');
    return text;
  };
  return Object.defineProperty(response, 'text', { value });
}

/** The error of an answer that the API does not describe. Names members, never their values. */
export function unexpectedForm(what: string, { issues }: z.ZodError, place: readonly PropertyKey[] = []) {
  const [first] = issues;
  const where = [...place, ...(first?.path ?? [])].map(String).join('.');
  return stripeError(what, 200, `an unexpected form: ${[where, first?.message].filter(Boolean).join(': ')}`);
}

/** An error with the permission that a refused access token needs. */
export function stripeError(what: string, status: number | null, reason: string, rest: Partial<ApiFailure> = {}) {
  return apiError({ processor: 'Stripe', what, status, reason, permission: PERMISSION, ...rest });
}

function addressOf({ settings }: BackfillRequest) {
  const { apiUrl } = settings as Settings;
  if (apiUrl === undefined || apiUrl === null) return { origin: {}, basePath: '' };
  const { protocol, hostname: host, port, pathname } = new URL(apiUrl);
  const scheme: 'http' | 'https' = protocol === 'http:' ? 'http' : 'https';
  return {
    origin: { protocol: scheme, host, port: port || (scheme === 'http' ? '80' : '443') },
    basePath: pathname.replace(/\/+$/, ''),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Stripe.errors.StripeError ? error.message : 'it gives no reason';
}
