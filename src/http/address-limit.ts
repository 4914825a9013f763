import type { RequestHandler } from 'express';
import { ServiceError } from '../errors.ts';
import { clientAddress, networkOf } from './client-address.ts';
import { createMemoryCounter, WINDOW_SECONDS } from './rate-limit.ts';

/** Many people may share an address (an office, a mobile network); nobody clicks twice a second for a minute. */
const REQUESTS_MAX = 120;

/**
 * Refuses what passes 120 requests a minute of one address, counted in memory by each process for itself. The addresses
 * are forgotten with their minute.
 *
 * @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After`
 */
export function limitByAddress(): RequestHandler {
  const counter = createMemoryCounter();
  return async (request, response, next) => {
    const address = networkOf(clientAddress(request, request.app.get('trust proxy fn')));
    const { requestCount, resetMs } = await counter.count(address);
    const resetSeconds = Math.ceil(resetMs / 1000);
    response.set('RateLimit-Policy', `"minute";q=${REQUESTS_MAX};w=${WINDOW_SECONDS}`);
    response.set('RateLimit', `"minute";r=${Math.max(REQUESTS_MAX - requestCount, 0)};t=${resetSeconds}`);
    if (requestCount > REQUESTS_MAX) {
      const message = `More than ${REQUESTS_MAX} clicks a minute from this address; repeat in ${resetSeconds} seconds`;
      throw new ServiceError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: resetSeconds });
    }
    next();
  };
}
