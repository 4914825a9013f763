import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { routeOf } from './locals.ts';
import { requestDuration } from './metrics.ts';

/** Measures every request; writes an access line only at level debug, because refusals have a line of their own. */
export function observeRequests(log: Logger): RequestHandler {
  return (request, response, next) => {
    observeRequest(log, request, response, () => routeOf(response) ?? 'none');
    next();
  };
}

/** @param route asked when the request has ended: the pattern that took it */
export function observeRequest(
  log: Logger,
  { method = '' }: IncomingMessage,
  response: ServerResponse,
  route: () => string,
): void {
  const startedAt = performance.now();
  response.once('close', () => {
    const durationMs = performance.now() - startedAt;
    // a client that left was given no status
    const status = response.writableFinished ? response.statusCode : 499;
    requestDuration.observe({ route: route(), method, status }, durationMs / 1000);
    if (log.isLevelEnabled('debug')) log.debug({ method, route: route(), status, durationMs }, 'request');
  });
}
