import { errorIn, isAnswerOf, parsed, reasonOf } from './answer.ts';
import { ERROR_CLASSES } from './api-errors.ts';
import { retryAfterMs } from './retry-after.ts';

/** Why a call did not succeed. */
export interface ClientError {
  /**
   * The service's own code (`INVALID_CLICK_ID`, `VALIDATION_ERROR`, …), or `TIMEOUT`, `UNREACHABLE`,
   * `UNEXPECTED_ANSWER` (something other than the service answered), `NOT_CONFIGURED`, `NOT_SENT`.
   */
  code: string;
  message: string;
  /** The HTTP status; null without an answer. */
  status: number | null;
}

export type SendResult =
  | { kind: 'answered'; body: object }
  /** A retry would be refused again. */
  | { kind: 'refused'; error: ClientError }
  /** The fault is in the key or the address, not in the call: a retry succeeds once somebody has corrected it. */
  | { kind: 'misconfigured'; error: ClientError }
  /** A retry may succeed, not before `retryAfterMs` if the service set one. */
  | { kind: 'delayed'; error: ClientError; retryAfterMs: number | null };

const KEY_REFUSED = ['UNAUTHORIZED', 'FORBIDDEN'];

export interface Connection {
  /** Without a trailing slash. */
  baseUrl: string;
  apiKey: string;
  fetch: typeof fetch;
}

/** Sends one request and reads the whole answer within `timeoutMs`. Never throws. */
export async function send(
  { baseUrl, apiKey, fetch }: Connection,
  path: string,
  body: string,
  timeoutMs: number,
): Promise<SendResult> {
  try {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body,
      // a redirect would turn the request into a GET
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return resultOf(path, response, parsed(await response.text()));
  } catch (thrown) {
    return delayed(null, failure(thrown, timeoutMs));
  }
}

function resultOf(path: string, response: Response, body: unknown): SendResult {
  const { status } = response;
  if (response.ok && isAnswerOf(path, body)) return { kind: 'answered', body };
  const error = { ...errorIn(body), status };
  // browsers and some edge runtimes report a redirect as 0
  const isRedirect = !response.ok && status < 400;
  if (isRedirect || KEY_REFUSED.includes(error.code)) return { kind: 'misconfigured', error };
  const isPassing = status === 408 || status === 429 || status >= 500;
  // what a proxy answers in place of the service, such as 404 while it restarts, says nothing about the call
  const isRefused = !response.ok && !isPassing && Object.hasOwn(ERROR_CLASSES, error.code);
  if (isRefused) return { kind: 'refused', error };
  return delayed(retryAfterMs(response.headers.get('retry-after'), Date.now()), error);
}

function delayed(retryAfterMs: number | null, error: ClientError): SendResult {
  return { kind: 'delayed', error, retryAfterMs };
}

function failure(thrown: unknown, timeoutMs: number): ClientError {
  if (thrown instanceof Error && thrown.name === 'TimeoutError') {
    return { code: 'TIMEOUT', message: `No answer within ${timeoutMs} ms`, status: null };
  }
  return { code: 'UNREACHABLE', message: `The service could not be reached: ${reasonOf(thrown)}`, status: null };
}
