import { createHash, timingSafeEqual } from 'node:crypto';
import { Router } from 'express';
import { bearerToken, unauthorized } from './authentication.ts';
import type { Metrics } from './metrics.ts';

/** `/metrics` for Prometheus; 404 where it is off. */
export function metricsRoutes(metrics: Metrics): Router {
  const { access } = metrics;
  const router = Router();
  router.get('/', async (request, response) => {
    if (access.kind === 'token' && !isSame(bearerToken(request.headers.authorization) ?? '', access.token)) {
      throw unauthorized(response, request.headers.authorization, 'Invalid or missing metrics token');
    }
    const { contentType, text } = await metrics.text();
    response.type(contentType).send(text);
  });
  return router;
}

/** Compares digests, which are of one length, in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
