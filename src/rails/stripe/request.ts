import { createRequire } from 'node:module';
import type StripeClient from 'stripe';
import { readBounded } from '../../bounded-body.ts';
import { retryAfterSeconds } from '../../core/retry-after.ts';
import type { TransferAccess } from '../contract/transfer.ts';
import { maskedAccount } from './masked-account.ts';

/** The package's CommonJS form loads in half the time of the other, and holds up other requests for less than 50 ms. */
const Stripe: typeof StripeClient = createRequire(import.meta.url)('stripe');

/** The one for which the package and the schemas of this rail are made. */
const API_VERSION = '2026-10-28.endive';

const TIMEOUT_MS = 20_000;

/** More than any answer about an account or a transfer. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** Long enough for Stripe's own messages. */
const REASON_MAX = 300;

/** What is known after a request. */
export type Answer = (
  | { kind: 'success'; body: unknown }
  /** Stripe's own word on the request, with a status of 4xx. */
  | { kind: 'refusal'; refusal: Refusal }
  /** Stripe may have executed the request, or may still. */
  | { kind: 'unknown'; reason: string; retryAfterSeconds?: number | undefined }
) & {
  /** True when Stripe had executed the request before, and repeats the answer of then. */
  isReplayed: boolean;
};

export interface Refusal {
  status: number;
  /** Such as `invalid_request_error`. */
  type: string;
  /** Such as `balance_insufficient`. */
  code: string | null;
  /** One line, without a final period and without the secret key. */
  reason: string;
}

/** The secret key was revoked, or may not do this. */
export const isAboutTheKey = ({ status }: Refusal) => status === 401 || status === 403;

/**
 * Sends one request, once. Never throws.
 *
 * @param call the request, by a method of the package
 */
export async function ask(
  access: TransferAccess,
  call: (stripe: StripeClient) => PromiseLike<unknown>,
): Promise<Answer> {
  let response: Response | null = null;
  const send = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const signals = [access.signal, init?.signal].filter((one) => one != null);
    try {
      response = await access.fetch(addressOf(access, String(url)), {
        ...init,
        redirect: 'manual',
        signal: AbortSignal.any(signals),
      });
      return await withObject(response);
    } catch (error) {
      // the package sends a request again whose error has the code ECONNRESET, even without retries
      throw new Error('The request failed', { cause: error });
    }
  };
  try {
    const stripe = new Stripe(access.secretKey, {
      apiVersion: API_VERSION,
      timeout: TIMEOUT_MS,
      maxNetworkRetries: 0,
      telemetry: false,
      // the package takes no signal and follows redirects, both of which its function for requests decides
      httpClient: Stripe.createFetchHttpClient(send),
    });
    const body = await call(stripe);
    return answerOf(response, body);
  } catch (error) {
    return failureOf(access, response, error);
  }
}

/** The package only knows Stripe's own address as a host; another one may have a path. */
function addressOf({ apiUrl }: TransferAccess, url: string): string {
  return apiUrl === null ? url : apiUrl.replace(/\/+$/, '') + url.slice(new URL(url).origin.length);
}

/**
 * The same response, if it has an object of JSON, which is not too large. After a text or a number, the package would
 * never settle, and end the process by a rejection that nobody handles.
 */
async function withObject(response: Response): Promise<Response> {
  const { status, headers } = response;
  const bytes = await readBounded(response, ANSWER_BYTES_MAX);
  if (bytes === null) throw new Error('The answer is too large');
  const text = new TextDecoder().decode(bytes);
  const body: unknown = JSON.parse(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Error('The answer is no object');
  return new Response(text, { status, headers });
}

/** The package resolves with any JSON that has no member `error`, whatever the status. */
function answerOf(response: Response | null, body: unknown): Answer {
  if (response === null) return unknownAnswer(response, 'Stripe was not asked');
  if (!response.ok) return unknownAnswer(response, statusProblem(response.status));
  return { kind: 'success', body, isReplayed: isReplayed(response) };
}

function failureOf(access: TransferAccess, response: Response | null, error: unknown): Answer {
  if (access.signal.aborted) return unknownAnswer(response, 'The request to Stripe was ended before its answer');
  if (response === null || !(error instanceof Stripe.errors.StripeError) || typeof error.rawType !== 'string') {
    return unknownAnswer(response, connectionProblem(response, error));
  }
  const { status } = response;
  if (isUndecided(response)) return unknownAnswer(response, statusProblem(status));
  const reason = `Stripe refuses: ${sentenceOf(access, error.message)}`;
  const code = typeof error.code === 'string' ? error.code : null;
  return { kind: 'refusal', refusal: { status, type: error.rawType, code, reason }, isReplayed: isReplayed(response) };
}

/**
 * True unless the status says that Stripe refuses the request as it is. `stripe-should-retry` is believed only when it
 * asks for a repetition: where it advises against one, as after a 500, the request may have been executed all the same.
 */
function isUndecided({ status, headers }: Response): boolean {
  if (status < 400 || status >= 500) return true;
  return [408, 409, 424, 425, 429].includes(status) || headers.get('stripe-should-retry') === 'true';
}

function unknownAnswer(response: Response | null, reason: string): Answer {
  const wait = response === null ? undefined : retryAfterSeconds(response.headers);
  return { kind: 'unknown', reason, retryAfterSeconds: wait, isReplayed: isReplayed(response) };
}

const isReplayed = (response: Response | null) => response?.headers.get('idempotent-replayed') === 'true';

function statusProblem(status: number): string {
  if (status >= 300 && status < 400) return `Stripe answered with a redirect (${status}), which is not followed`;
  return `Stripe answered with status ${status}`;
}

/** The package's own messages say nothing of the cause; those of Node may quote a header. */
function connectionProblem(response: Response | null, error: unknown): string {
  if (response !== null && !response.ok) return statusProblem(response.status);
  const code = codeWithin(error, 5);
  if (code === 'ETIMEDOUT') return `Stripe did not answer within ${TIMEOUT_MS / 1000} s`;
  const suffix = code === null ? '' : ` (${code})`;
  return response === null
    ? `The connection to Stripe failed${suffix}`
    : `Stripe's answer was cut off or is not JSON${suffix}`;
}

/** The code of an error, or of one that caused it. */
function codeWithin(error: unknown, depth: number): string | null {
  if (typeof error !== 'object' || error === null || depth === 0) return null;
  const { code, cause, detail, exception } = error as Record<string, unknown>;
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)) return code;
  for (const inner of [detail, exception, cause]) {
    const found = codeWithin(inner, depth - 1);
    if (found !== null) return found;
  }
  return null;
}

/** One line of Stripe's text, without anything that looks like a key, and with accounts masked. */
function sentenceOf({ secretKey }: TransferAccess, message: string): string {
  const line = message
    .replaceAll(secretKey, '…')
    .replaceAll(/\b[rs]k_(?:live|test)_[^\s.,:;'"]+/g, '…')
    // notes of payouts and events keep reasons, also once the partner was erased
    .replaceAll(/\bacct_[A-Za-z0-9]+/g, maskedAccount)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  const short = characters.length > REASON_MAX ? `${characters.slice(0, REASON_MAX).join('')}…` : line;
  return short.replace(/\.+$/, '') || 'it gives no reason';
}
