import type { ServerResponse } from 'node:http';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import type { ApiKeyIdentity } from '../accounts/api-keys.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';

export const WINDOW_SECONDS = 60;
/** Never reached: the library supports only one limit for all keys, so `countWithin` compares each key's own. */
export const POINTS_MAX = 1_000_000_000;

/** Counts requests per API key in windows of a minute. */
export interface RequestCounter {
  /** Counts one more request of this key. */
  count(keyId: string): Promise<{ requestCount: number; resetMs: number }>;
  close(): Promise<void>;
}

/** Counts for one process, which is all that SQLite allows. */
export function createMemoryCounter(): RequestCounter {
  return { count: countWith(memoryLimiter()), close: async () => undefined };
}

/** Counts a request of the key. @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After` */
export type LimitRequests = (identity: ApiKeyIdentity, response: ServerResponse) => Promise<void>;

/**
 * Refuses requests beyond the key's limit. Every answer carries the policy and the remaining quota
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export function limitRequests(service: Service, counter: RequestCounter): LimitRequests {
  return async ({ keyId, rateLimitPerMinute }, response) => {
    const limit = rateLimitPerMinute ?? service.rateLimitPerMinute;
    await requireWithin(counter, { key: keyId, limit, who: 'with this API key' }, response);
  };
}

/** Counts a request. @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After`; `who` completes its message */
export async function requireWithin(
  counter: RequestCounter,
  { key, limit, who }: { key: string; limit: number; who: string },
  response: ServerResponse,
): Promise<void> {
  const resetSeconds = await countWithin(counter, key, limit, response);
  if (resetSeconds === null) return;
  throw new ServiceError(
    'RATE_LIMIT_EXCEEDED',
    `More than ${limit} requests a minute ${who}; retry in ${resetSeconds} seconds, then back off exponentially`,
    { retryAfterSeconds: resetSeconds },
  );
}

/** Counts a request and sets the rate limit headers. Above the limit, returns the seconds until the window ends; else null. */
export async function countWithin(
  counter: RequestCounter,
  key: string,
  limit: number,
  response: ServerResponse,
): Promise<number | null> {
  const { requestCount, resetMs } = await counter.count(key);
  const resetSeconds = Math.ceil(resetMs / 1000);
  response.setHeader('RateLimit-Policy', `"minute";q=${limit};w=${WINDOW_SECONDS}`);
  response.setHeader('RateLimit', `"minute";r=${Math.max(limit - requestCount, 0)};t=${resetSeconds}`);
  return requestCount > limit ? resetSeconds : null;
}

export function memoryLimiter(): RateLimiterMemory {
  return new RateLimiterMemory({ points: POINTS_MAX, duration: WINDOW_SECONDS });
}

export function countWith(limiter: RateLimiterAbstract): RequestCounter['count'] {
  return async (keyId) => {
    const result = await limiter.consume(keyId);
    return { requestCount: result.consumedPoints, resetMs: result.msBeforeNext };
  };
}
