import { createRequire } from 'node:module';
import type StripeClient from 'stripe';
import { z } from 'zod';
import type { BackfillRequest } from '../contract/adapter.ts';
import { type ApiFailure, apiError } from '../contract/backfill.ts';
import { PERMISSION } from './guide.ts';
import type { Settings } from './settings.ts';

/** The package's CommonJS form loads in half the time of the other, and holds up other requests for less than 50 ms. */
const Stripe: typeof StripeClient = createRequire(import.meta.url)('stripe');

/** Of the records that the API answers: the one for which the package and the schemas of this adapter are made. */
export const API_VERSION = '2026-10-28.endive';

/** The most that Stripe answers at once (https://docs.stripe.com/api/pagination). */
export const PAGE_SIZE = 100;

const TIMEOUT_MS = 20_000;

/** Long enough for Stripe's own messages. */
const REASON_MAX = 300;

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
  const { accessToken, fetch: send, signal } = request;
  let answer: Response | null = null;
  const { origin, basePath } = addressOf(request);
  const stripe = new Stripe(accessToken, {
    ...origin,
    apiVersion: API_VERSION,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 0,
    telemetry: false,
    // the package takes no signal and follows redirects, both of which its function for requests decides
    httpClient: Stripe.createFetchHttpClient(async (url, init) => {
      const signals = [signal, init?.signal].filter((one) => one != null);
      answer = await send(url, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) });
      return withoutBareValue(answer);
    }),
  });
  let body: unknown;
  try {
    body = await stripe.rawRequest('GET', basePath + path);
  } catch (error) {
    throw requestError(request, what, answer, error);
  }
  if (statusOf(answer) !== 200) throw requestError(request, what, answer, null);
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

function statusOf(answer: Response | null): number | null {
  return answer?.status ?? null;
}

function requestError({ accessToken, signal }: BackfillRequest, what: string, answer: Response | null, error: unknown) {
  const status = statusOf(answer);
  if (signal.aborted) return stripeError(what, null, 'the request was ended');
  if (answer === null || status === 200) return stripeError(what, null, connectionProblem(answer, error));
  const reason = status !== null && status < 400 ? 'a redirect, which is not followed' : messageOf(error);
  const retryAfter = answer.headers.get('retry-after') ?? '';
  return stripeError(what, status, reason.replaceAll(accessToken, '…').slice(0, REASON_MAX), {
    retryAfterSeconds: /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : undefined,
  });
}

/** The package's own messages say nothing of the cause; those of Node may quote a header. */
function connectionProblem(answer: Response | null, error: unknown): string {
  const detail: unknown = error instanceof Stripe.errors.StripeError ? error.detail : null;
  const codes = [detail, memberOf(detail, 'exception')].flatMap((one) => [one, memberOf(one, 'cause')]);
  const code = codes.map((one) => memberOf(one, 'code')).find((one) => typeof one === 'string');
  if (code === 'ETIMEDOUT') return `it took more than ${TIMEOUT_MS / 1000} s`;
  const suffix = code === undefined ? '' : ` (${code})`;
  return answer === null ? `the connection failed${suffix}` : `the answer was cut off or is not JSON${suffix}`;
}

function messageOf(error: unknown): string {
  return error instanceof Stripe.errors.StripeError ? error.message : 'it gives no reason';
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
