import { setTimeout as sleep } from 'node:timers/promises';
import { readBounded } from '../../bounded-body.ts';
import { excerpt, firstCauseOf, messageOf, ServiceError } from '../../errors.ts';
import { ATTEMPTS_MAX, retryAfterOf, type Tried, withRetries } from '../retries.ts';

/** Reads an API: one GET request after the other. */
export interface SourceClient {
  /** The parsed JSON. A list in the query is sent as several parameters. */
  get(path: string, query?: Query): Promise<unknown>;
}

export type Query = Readonly<Record<string, string | number | readonly string[]>>;

export interface ClientOptions {
  /** For sentences. */
  title: string;
  apiUrl: string;
  headers: Readonly<Record<string, string>>;
  limit: { requests: number; perMs: number };
  /** Ends a request or a pause. */
  signal?: AbortSignal;
  /** Waits; replaced in tests. */
  wait?: (ms: number) => Promise<unknown>;
}

const TIMEOUT_MS = 60_000;
/** Twelve minutes: a new import reads everything again, which may take hours at the service's limit. */
const ATTEMPTS_OF_KNOWN_MAX = 20;
const BODY_BYTES_MAX = 64 * 1024 * 1024;
const TOO_MANY = 'status 429';
const TOO_LARGE = 'the answer has more than 64 MiB';

/**
 * Creates a client that keeps to the service's limit, waits when the service asks for it (429 with `Retry-After`), and
 * retries a request that was cut off or failed at the service: for half a minute, so that a wrong address is reported
 * soon, and for twelve minutes at an address that has answered. It follows no redirects, which could take the credentials
 * elsewhere.
 */
export function createSourceClient(options: ClientOptions): SourceClient {
  const { title, apiUrl, headers, limit, signal } = options;
  const wait = options.wait ?? ((ms) => sleep(ms, undefined, { ...(signal && { signal }) }));
  const pace = createPace(limit, wait);
  let isKnown = false;
  return {
    async get(path, query = {}) {
      const url = urlOf(apiUrl, path, query);
      const attempt = async () => {
        await pace();
        const answer = await ask(url, headers, signal);
        signal?.throwIfAborted();
        if (answer.kind === 'refused') throw asError(title, path, answer);
        isKnown ||= answer.kind === 'done' || answer.failure === TOO_MANY;
        return answer;
      };
      const tried = await withRetries(attempt, wait, () => (isKnown ? ATTEMPTS_OF_KNOWN_MAX : ATTEMPTS_MAX));
      if (tried.kind === 'done') return tried.value;
      throw new ServiceError(
        'UNAVAILABLE',
        `${title} did not answer ${path}: ${tried.failure}. Start the same import again to continue`,
      );
    },
  };
}

/** `failure`: the reason. */
type Asked = Tried<unknown, string> | { kind: 'refused'; status: number; reason: string };

async function ask(url: URL, headers: ClientOptions['headers'], signal: AbortSignal | undefined): Promise<Asked> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    const { status } = response;
    const text = await textOf(response);
    if (status === 429 || status >= 500) {
      return { kind: 'failed', failure: `status ${status}`, retryAfterMs: retryAfterOf(response.headers) };
    }
    if (status !== 200) return { kind: 'refused', status, reason: excerpt(text ?? TOO_LARGE) };
    return text === null ? { kind: 'refused', status, reason: TOO_LARGE } : parsedFrom(text);
  } catch (error) {
    // the request was not sent; its message is not passed on, because it quotes the invalid header or address with the
    // secret in it
    if (error instanceof TypeError && error.cause === undefined) throw cannotBeSent();
    // a cut connection, a timeout, an unknown host: the cause says which, and contains nothing of the request
    return { kind: 'failed', failure: messageOf(firstCauseOf(error)), retryAfterMs: null };
  }
}

/** Without a length, an answer that was cut off looks complete. */
const BEGINS_AS_JSON = /^\s*([[{]|$)/;

function parsedFrom(text: string): Asked {
  try {
    return { kind: 'done', value: JSON.parse(text) };
  } catch {
    if (BEGINS_AS_JSON.test(text)) return { kind: 'failed', failure: 'the answer was cut off', retryAfterMs: null };
    return { kind: 'refused', status: 200, reason: 'the answer is not JSON' };
  }
}

/** Null when it is too large. */
async function textOf(response: Response): Promise<string | null> {
  const body = await readBounded(response, BODY_BYTES_MAX);
  // removes a byte order mark, which JSON does not allow, as Response.text() does
  return body && new TextDecoder().decode(body);
}

function asError(title: string, path: string, { status, reason }: { status: number; reason: string }): ServiceError {
  if (status === 401 || status === 403) {
    return new ServiceError(
      'VALIDATION_ERROR',
      `${title} refused the credentials (${status}): check them, and what they may read`,
    );
  }
  return new ServiceError('VALIDATION_ERROR', `${title} answered ${path} with status ${status}: ${reason}`);
}

function cannotBeSent(): ServiceError {
  const message =
    'A request with these credentials to this address cannot be sent: check both for characters that do not belong';
  return new ServiceError('VALIDATION_ERROR', message);
}

function urlOf(apiUrl: string, path: string, query: Query): URL {
  const url = new URL(`${apiUrl.replace(/\/+$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  return url;
}

/** Waits before a request that would exceed the limit. */
function createPace({ requests, perMs }: ClientOptions['limit'], wait: (ms: number) => Promise<unknown>) {
  const times: number[] = [];
  return async () => {
    const oldest = times.length < requests ? undefined : times.shift();
    const pause = oldest === undefined ? 0 : oldest + perMs - performance.now();
    if (pause > 0) await wait(pause);
    times.push(performance.now());
  };
}
