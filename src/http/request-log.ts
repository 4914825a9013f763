import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { routeOf } from './locals.ts';
import { requestDuration } from './metrics.ts';

/** Measures every request; writes an access line only at level debug, because refusals have a line of their own. */
export function observeRequests(log: Logger): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const route = routeOf(response) ?? 'none';
      // a client that left was given no status
      const status = response.writableFinished ? response.statusCode : 499;
      requestDuration.observe({ route, method: request.method, status }, durationMs / 1000);
      if (log.isLevelEnabled('debug')) log.debug({ method: request.method, route, status, durationMs }, 'request');
    });
    next();
  };
}
