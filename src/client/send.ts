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
  /** A retry may succeed, not before `retryAfterMs` if the service set one. */
  | { kind: 'delayed'; error: ClientError; retryAfterMs: number | null };

export interface Connection {
  /** Without a trailing slash. */
  baseUrl: string;
  apiKey: string;
  fetch: typeof fetch;
}

/** A longer wait is not meant for us. */
const RETRY_AFTER_MS_MAX = 3_600_000;

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
    return resultOf(response, parsed(await response.text()));
  } catch (thrown) {
    return delayed(null, failure(thrown, timeoutMs));
  }
}

function resultOf(response: Response, body: unknown): SendResult {
  const { status } = response;
  if (response.ok && isObject(body)) return { kind: 'answered', body };
  const error = { ...errorIn(body), status };
  // 200 without JSON comes from a proxy: the service always answers JSON
  const isRetryable = response.ok || status === 408 || status === 429 || status >= 500;
  if (!isRetryable) return { kind: 'refused', error };
  return delayed(retryAfterMs(response.headers.get('retry-after'), Date.now()), error);
}

function delayed(retryAfterMs: number | null, error: ClientError): SendResult {
  return { kind: 'delayed', error, retryAfterMs };
}

/** The service's own error; `UNEXPECTED_ANSWER` when something else answered in its place. */
function errorIn(body: unknown): Omit<ClientError, 'status'> {
  const error = isObject(body) && 'error' in body ? body.error : null;
  const code = isObject(error) && 'code' in error ? error.code : null;
  const message = isObject(error) && 'message' in error ? error.message : null;
  if (typeof code === 'string' && typeof message === 'string') return { code, message };
  return { code: 'UNEXPECTED_ANSWER', message: 'The answer does not come from Refbridge: check baseUrl' };
}

function failure(thrown: unknown, timeoutMs: number): ClientError {
  if (thrown instanceof Error && thrown.name === 'TimeoutError') {
    return { code: 'TIMEOUT', message: `No answer within ${timeoutMs} ms`, status: null };
  }
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const reason = cause instanceof Error ? cause.message : 'the request failed';
  return { code: 'UNREACHABLE', message: `The service could not be reached: ${reason}`, status: null };
}

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3); null when absent or invalid. */
function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const waitMs = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), RETRY_AFTER_MS_MAX);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
