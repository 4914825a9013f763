import type { ServerResponse } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import type { ApiKeyIdentity } from '../accounts/api-keys.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';

export const WINDOW_SECONDS = 60;
/** Never reached: the library supports only one limit for all keys, so `requireCounted` compares each key's own. */
export const POINTS_MAX = 1_000_000_000;

export interface RequestCount {
  /** In this minute, this request included. */
  requestCount: number;
  /** Time left in this minute. */
  resetMs: number;
}

/** Counts requests per API key in windows of a minute. */
export interface RequestCounter {
  /** Counts one more request of this key. */
  count(keyId: string): Promise<RequestCount>;
  close(): Promise<void>;
}

/** Counts for one process, which is all that SQLite allows. */
export function createMemoryCounter(): RequestCounter {
  const limiter = memoryLimiter();
  return { count: (keyId) => consume(limiter, keyId, 1), close: async () => undefined };
}

/** Limits the requests of each API key. */
export interface RequestLimiter {
  /** Counts a request of this key. Never rejects before it is awaited. */
  count(keyId: string): Promise<RequestCount>;
  /** @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After` */
  limit(identity: ApiKeyIdentity, counted: RequestCount, response: ServerResponse): void;
}

/**
 * Refuses requests beyond the key's limit. Every answer carries the policy and the remaining quota
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export function limitRequests(service: Service, counter: RequestCounter): RequestLimiter {
  return {
    count(keyId) {
      const counted = counter.count(keyId);
      counted.catch(() => {});
      return counted;
    },
    limit({ rateLimitPerMinute }, counted, response) {
      const limit = rateLimitPerMinute ?? service.rateLimitPerMinute;
      requireCounted(counted, { limit, who: 'with this API key' }, response);
    },
  };
}

/**
 * Counts a request, and adds the rate limit headers.
 *
 * @param policy `name`: in the headers, where a request may have several policies
 * @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After`; `who` completes its message
 */
export async function requireWithin(
  counter: RequestCounter,
  { key, ...policy }: { key: string; limit: number; who: string; name?: string },
  response: ServerResponse,
): Promise<void> {
  requireCounted(await counter.count(key), policy, response);
}

/** Adds the rate limit headers. @throws as `requireWithin` */
function requireCounted(
  { requestCount, resetMs }: RequestCount,
  { limit, who, name = 'minute' }: { limit: number; who: string; name?: string },
  response: ServerResponse,
): void {
  const resetSeconds = Math.ceil(resetMs / 1000);
  response.appendHeader('RateLimit-Policy', `"${name}";q=${limit};w=${WINDOW_SECONDS}`);
  response.appendHeader('RateLimit', `"${name}";r=${Math.max(limit - requestCount, 0)};t=${resetSeconds}`);
  if (requestCount <= limit) return;
  throw new ServiceError(
    'RATE_LIMIT_EXCEEDED',
    `More than ${limit} requests a minute ${who}; retry in ${resetSeconds} seconds, then back off exponentially`,
    { retryAfterSeconds: resetSeconds },
  );
}

export function memoryLimiter(): RateLimiterMemory {
  return new RateLimiterMemory({ points: POINTS_MAX, duration: WINDOW_SECONDS });
}

/**
 * Counts each request of a key. Those that arrive together share a count, and those that arrive while it is under way
 * share the next one: as exact, with one statement for many requests.
 */
export function countTogetherWith(limiter: RateLimiterAbstract): RequestCounter['count'] {
  /** For each key whose count is due or under way, the requests that the next count will include. */
  const waiting = new Map<string, PromiseWithResolvers<RequestCount>[]>();

  async function countAll(keyId: string, requests: readonly PromiseWithResolvers<RequestCount>[]): Promise<void> {
    try {
      const { requestCount, resetMs } = await consume(limiter, keyId, requests.length);
      const before = requestCount - requests.length;
      for (const [index, { resolve }] of requests.entries()) resolve({ requestCount: before + index + 1, resetMs });
    } catch (error) {
      for (const { reject } of requests) reject(error);
    }
  }

  async function countUntilNoneWaits(keyId: string): Promise<void> {
    // one turn of the event loop, in which the requests of the same network packets arrive
    await yieldToEventLoop();
    for (let next = waiting.get(keyId); next !== undefined && next.length > 0; next = waiting.get(keyId)) {
      waiting.set(keyId, []);
      await countAll(keyId, next);
    }
    waiting.delete(keyId);
  }

  return (keyId) => {
    const request = Promise.withResolvers<RequestCount>();
    const others = waiting.get(keyId);
    if (others) {
      others.push(request);
    } else {
      waiting.set(keyId, [request]);
      void countUntilNoneWaits(keyId);
    }
    return request.promise;
  };
}

/** Counts requests of a key. A window that a clock ahead of this one has begun ends within a minute from now. */
async function consume(limiter: RateLimiterAbstract, keyId: string, count: number): Promise<RequestCount> {
  const { consumedPoints: requestCount, msBeforeNext } = await limiter.consume(keyId, count);
  if (msBeforeNext <= WINDOW_SECONDS * 1000) return { requestCount, resetMs: msBeforeNext };
  const shortened = await limiter.set(keyId, requestCount, WINDOW_SECONDS);
  return { requestCount, resetMs: shortened.msBeforeNext };
}
