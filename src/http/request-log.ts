import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { routeOf } from './locals.ts';
import type { Metrics } from './metrics.ts';

/** @param route asked when the request has ended: the pattern that took it */
export type ObserveRequest = (request: IncomingMessage, response: ServerResponse, route: () => string) => void;

/** Measures requests, and writes an access line only at level debug, because refusals have a line of their own. */
export function requestObserver(log: Logger, metrics: Metrics): ObserveRequest {
  const isDebug = log.isLevelEnabled('debug');
  if (!isDebug && metrics.access.kind === 'off') return () => {};
  return ({ method = '' }, response, route) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const durationMs = performance.now() - startedAt;
      // a client that left was given no status
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.requestEnded(route(), method, status, durationMs / 1000);
      if (isDebug) log.debug({ method, route: route(), status, durationMs }, 'request');
    });
  };
}

/** The same for what Express answers, by the pattern that took it. */
export function observeRequests(observe: ObserveRequest): RequestHandler {
  return (request, response, next) => {
    observe(request, response, () => routeOf(response) ?? 'none');
    next();
  };
}
