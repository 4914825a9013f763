import type { RequestHandler } from 'express';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import { apiKeyOf } from './locals.ts';

export const WINDOW_SECONDS = 60;
/** Never reached: a key's own limit is compared here, because the library knows one limit for all keys. */
export const POINTS_MAX = 1_000_000_000;

/** Counts requests per API key in windows of a minute. */
export interface RequestCounter {
  /** Counts one more request of this key. */
  count(keyId: string): Promise<{ requestCount: number; resetMs: number }>;
  close(): Promise<void>;
}

/** For one process: SQLite has no more than one. */
export function createMemoryCounter(): RequestCounter {
  return { count: countWith(memoryLimiter()), close: async () => undefined };
}

/**
 * Refuses what passes the key's limit. Every answer behind it tells the policy and what is left of it
 * (draft-ietf-httpapi-ratelimit-headers).
 *
 * @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After`
 */
export function limitRequests(service: Service, counter: RequestCounter): RequestHandler {
  return async (_request, response, next) => {
    const { keyId, rateLimitPerMinute } = apiKeyOf(response);
    const limit = rateLimitPerMinute ?? service.rateLimitPerMinute;
    const { requestCount, resetMs } = await counter.count(keyId);
    const resetSeconds = Math.ceil(resetMs / 1000);
    response.set('RateLimit-Policy', `"minute";q=${limit};w=${WINDOW_SECONDS}`);
    response.set('RateLimit', `"minute";r=${Math.max(limit - requestCount, 0)};t=${resetSeconds}`);
    if (requestCount > limit) {
      throw new ServiceError(
        'RATE_LIMIT_EXCEEDED',
        `More than ${limit} requests a minute with this API key; repeat in ${resetSeconds} seconds, then back off exponentially`,
        { retryAfterSeconds: resetSeconds },
      );
    }
    next();
  };
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
