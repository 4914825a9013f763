/** Why a call was not answered with success. */
export interface ClientError {
  /**
   * The service's own code (`INVALID_CLICK_ID`, `VALIDATION_ERROR`, …), or `TIMEOUT`, `UNREACHABLE`,
   * `UNEXPECTED_ANSWER` (something else answered), `NOT_CONFIGURED`, `NOT_SENT`.
   */
  code: string;
  message: string;
  /** Of HTTP; null where nothing was answered. */
  status: number | null;
}

export type Outcome =
  | { kind: 'answered'; body: object }
  /** A repeat would be refused again. */
  | { kind: 'refused'; error: ClientError }
  /** A repeat may succeed, and not before `retryAfterMs` where the service named a time. */
  | { kind: 'delayed'; error: ClientError; retryAfterMs: number | null };

export interface Connection {
  /** Without a slash at the end. */
  baseUrl: string;
  apiKey: string;
  fetch: typeof fetch;
}

/** A wait that is longer than this was not meant for us. */
const RETRY_AFTER_MS_MAX = 3_600_000;

/** One request, answered whole within `timeoutMs`. Never throws. */
export async function send(
  { baseUrl, apiKey, fetch }: Connection,
  path: string,
  body: string,
  timeoutMs: number,
): Promise<Outcome> {
  try {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body,
      // a redirect would turn the request into a GET
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return outcomeOf(response, parsed(await response.text()));
  } catch (thrown) {
    return delayed(null, failure(thrown, timeoutMs));
  }
}

function outcomeOf(response: Response, body: unknown): Outcome {
  const { status } = response;
  if (response.ok && isObject(body)) return { kind: 'answered', body };
  const error = { ...errorIn(body), status };
  // 200 without JSON is a proxy's page: the service itself always answers JSON
  const isWorthRepeating = response.ok || status === 408 || status === 429 || status >= 500;
  if (!isWorthRepeating) return { kind: 'refused', error };
  return delayed(retryAfterMs(response.headers.get('retry-after'), Date.now()), error);
}

function delayed(retryAfterMs: number | null, error: ClientError): Outcome {
  return { kind: 'delayed', error, retryAfterMs };
}

/** The service's own error (specification 7), whatever else may have answered in its place. */
function errorIn(body: unknown): Omit<ClientError, 'status'> {
  const error = isObject(body) && 'error' in body ? body.error : null;
  const code = isObject(error) && 'code' in error ? error.code : null;
  const message = isObject(error) && 'message' in error ? error.message : null;
  if (typeof code === 'string' && typeof message === 'string') return { code, message };
  return { code: 'UNEXPECTED_ANSWER', message: 'The answer is not one of Refbridge: look at baseUrl' };
}

function failure(thrown: unknown, timeoutMs: number): ClientError {
  if (thrown instanceof Error && thrown.name === 'TimeoutError') {
    return { code: 'TIMEOUT', message: `No answer within ${timeoutMs} ms`, status: null };
  }
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const reason = cause instanceof Error ? cause.message : 'the request failed';
  return { code: 'UNREACHABLE', message: `The service could not be reached: ${reason}`, status: null };
}

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3); null for none or what is neither. */
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
