import { createHash, timingSafeEqual } from 'node:crypto';
import { type RequestHandler, Router } from 'express';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { ServiceError } from '../errors.ts';
import { bearerToken, unauthorized } from './authentication.ts';
import type { MetricsAccess } from './metrics-access.ts';

/** One per process, as the process is what is measured. */
const registry = new Registry();
collectDefaultMetrics({ register: registry });

export const requestDuration = new Histogram({
  name: 'refbridge_http_request_duration_seconds',
  help: 'Time to answer, by route pattern, method and status',
  labelNames: ['route', 'method', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
});

/** One more for every delivery that was answered: `deliveryCount.inc({ processor, outcome })`. */
export const deliveryCount = new Counter({
  name: 'refbridge_deliveries_total',
  help: 'Webhook deliveries answered, by processor and outcome',
  labelNames: ['processor', 'outcome'] as const,
  registers: [registry],
});

/** Visitors who were sent on without an id, because the database could not record them. */
export const clickLossCount = new Counter({
  name: 'refbridge_clicks_lost_total',
  help: 'Visits through partner links that could not be recorded',
  registers: [registry],
});

/** `/metrics` for Prometheus; 404 where it is off. */
export function metricsRoutes(access: MetricsAccess): Router {
  const router = Router();
  const handler: RequestHandler = async (request, response) => {
    if (access.kind === 'off') throw new ServiceError('NOT_FOUND', 'Metrics are off; set METRICS to switch them on');
    if (access.kind === 'token' && !isSame(bearerToken(request.headers.authorization) ?? '', access.token)) {
      throw unauthorized(response, request.headers.authorization, 'Invalid or missing metrics token');
    }
    response.type(registry.contentType).send(await registry.metrics());
  };
  router.get('/', handler);
  return router;
}

/** Compares digests, which are of one length, in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
