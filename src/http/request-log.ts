import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Metrics } from '../app/metrics.ts';
import { requestIdOf } from './request-id.ts';

/** @param route called when the request has ended; returns the pattern that matched it */
export type ObserveRequest = (request: IncomingMessage, response: ServerResponse, route: () => string) => void;

/** Measures requests; logs each only at level debug, because errors are logged anyway. */
export function requestObserver(log: Logger, metrics: Metrics): ObserveRequest {
  const isDebug = log.isLevelEnabled('debug');
  if (!isDebug && metrics.access.kind === 'off') return () => {};
  return ({ method = '' }, response, route) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const durationMs = performance.now() - startedAt;
      // a client that disconnected received no status
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.requestEnded(route(), method, status, durationMs / 1000);
      if (isDebug) log.debug({ method, route: route(), status, durationMs, ...requestIdOf(response) }, 'request');
    });
  };
}
