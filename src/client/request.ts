import { errorIn, isObject, parsed, reasonOf } from './answer.ts';
import type { ApiRequest } from './api-call.ts';
import { ERROR_CLASSES } from './api-errors.ts';
import type { CallOptions } from './call-options.ts';
import { delayMsOf, numberOf } from './number-options.ts';
import {
  type ErrorFacts,
  NotConfiguredError,
  RefbridgeError,
  TimeoutError,
  UnexpectedAnswerError,
  UnreachableError,
} from './refbridge-error.ts';
import { retryAfterMs } from './retry-after.ts';
import type { Connection } from './send.ts';
import { backoffMs } from './sender.ts';
import { stopwatchMs } from './stopwatch.ts';

export interface RequestDefaults {
  timeoutMs: number;
  retries: number;
}

/** The parsed JSON; `response` is unread where the call asked for it, and null where its answer was lost. */
export interface Answered {
  response: Response | null;
  body: unknown;
}

const DELETED: Answered = { response: null, body: null };

const FIRST_RETRY_MS = 200;
/** An attempt has at least this part of the time, however many retries there may be. */
const SHARES_MAX = 10;
/** With these, the service says that the request left nothing behind. */
const NOTHING_HAPPENED = ['RATE_LIMIT_EXCEEDED', 'REQUEST_TIMEOUT', 'UNAVAILABLE'];

/**
 * Sends a request, and again where that is safe: after a refusal that left nothing behind, and for an idempotent request
 * after a lost answer too. It never waits beyond the time limit.
 *
 * @throws RefbridgeError of the code's class; the signal's reason when it aborts
 */
export async function request(
  connection: Connection,
  sent: ApiRequest,
  { timeoutMs, retries }: RequestDefaults,
  options: CallOptions = {},
): Promise<Answered> {
  const budgetMs = delayMsOf(options.timeoutMs, timeoutMs);
  const attemptsMax = Math.max(numberOf(options.retries, retries), 0) + 1;
  const deadline = stopwatchMs() + budgetMs;
  let mayHaveHappened = false;
  for (let attempts = 1; ; attempts += 1) {
    options.signal?.throwIfAborted();
    const leftMs = Math.max(deadline - stopwatchMs(), 1);
    // one attempt that hangs must leave time for the next
    const shareMs = Math.ceil(budgetMs / Math.min(attemptsMax, SHARES_MAX));
    const attemptMs = sent.isIdempotent ? Math.min(leftMs, shareMs) : leftMs;
    try {
      return await attempt(connection, sent, attemptMs, options);
    } catch (thrown) {
      if (!(thrown instanceof RefbridgeError)) throw thrown;
      thrown.attempts = attempts;
      if (mayHaveHappened && isAlreadyDeleted(thrown, sent)) return DELETED;
      mayHaveHappened ||= !NOTHING_HAPPENED.includes(thrown.code);
      const waitMs = Math.max(thrown.retryAfterMs ?? 0, backoffMs(attempts - 1, FIRST_RETRY_MS));
      const isInTime = stopwatchMs() + waitMs < deadline;
      if (attempts >= attemptsMax || !isInTime || !isRetryable(thrown, sent)) throw thrown;
      await pause(waitMs, options.signal);
    }
  }
}

/** After an attempt whose answer was lost: that attempt deleted it. */
function isAlreadyDeleted({ code }: RefbridgeError, { method }: ApiRequest): boolean {
  return method === 'DELETE' && code === 'NOT_FOUND';
}

function isRetryable({ code, status }: RefbridgeError, { isIdempotent }: ApiRequest): boolean {
  if (NOTHING_HAPPENED.includes(code)) return true;
  // a redirect or a page with 200 is a wrong baseUrl, which stays wrong
  return isIdempotent && (status === null ? code !== 'NOT_CONFIGURED' : status >= 500 || status === 429);
}

async function attempt(
  { baseUrl, fetch, apiKey }: Connection,
  { method, path, body, isPublic, isResponse }: ApiRequest,
  attemptMs: number,
  { token, headers, signal, onResponse }: CallOptions,
): Promise<Answered> {
  const credential = token === undefined && !isPublic ? apiKey : token;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), attemptMs);
  try {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(credential ? { authorization: `Bearer ${credential}` } : {}),
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...inLowerCase(headers),
      },
      ...(body === null ? {} : { body }),
      // it would turn a POST into a GET, or follow a partner's link to the shop
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
    });
    onResponse?.(response);
    if (isResponse && response.status < 400) return { response, body: null };
    const text = await response.text();
    return { response, body: bodyOf(response, text) };
  } catch (thrown) {
    signal?.throwIfAborted();
    if (thrown instanceof RefbridgeError) throw thrown;
    if (limit.signal.aborted) throw new TimeoutError({ code: 'TIMEOUT', message: `No answer within ${attemptMs} ms` });
    const message = `The service could not be reached: ${reasonOf(thrown)}`;
    throw new UnreachableError({ code: 'UNREACHABLE', message, cause: thrown });
  } finally {
    clearTimeout(timer);
  }
}

/** Without it, `Content-Type` would be sent beside our own `content-type`, and not in place of it. */
function inLowerCase(headers: CallOptions['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}

/** @throws RefbridgeError for a refusal, and for what the service would not answer */
function bodyOf(response: Response, text: string): unknown {
  const body = parsed(text);
  if (response.ok && (isObject(body) || response.status === 204)) return body;
  const facts: ErrorFacts = {
    ...errorIn(body),
    status: response.status,
    details: detailsIn(body),
    requestId: response.headers.get('x-request-id'),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), Date.now()),
  };
  throw errorOf(facts);
}

/** The error of its code's class; a code that this version does not know is a plain `RefbridgeError`. */
function errorOf(facts: ErrorFacts): RefbridgeError {
  const { code } = facts;
  if (code === 'UNEXPECTED_ANSWER') return new UnexpectedAnswerError(facts);
  return Object.hasOwn(ERROR_CLASSES, code)
    ? new ERROR_CLASSES[code as keyof typeof ERROR_CLASSES](facts)
    : new RefbridgeError(facts);
}

/** Refuses a call that cannot be sent, as every other failure. */
export function notConfigured(message: string): NotConfiguredError {
  const error = new NotConfiguredError({ code: 'NOT_CONFIGURED', message });
  error.attempts = 0;
  return error;
}

function detailsIn(body: unknown): { path: string; message: string }[] {
  const error = (body as { error?: { details?: unknown } } | null)?.error;
  return Array.isArray(error?.details) ? error.details : [];
}

/** Ends early, with the signal's reason, when it aborts. */
function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, waitMs);
    function end(): void {
      signal?.removeEventListener('abort', abort);
      resolve();
    }
    function abort(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', abort, { once: true });
  });
}
