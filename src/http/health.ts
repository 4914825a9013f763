import { Router } from 'express';
import { readinessOf } from '../app/readiness.ts';
import type { Service } from '../app/service.ts';

/** Changed once, when the process is told to stop: load balancers are to look elsewhere from then on. */
export interface Lifecycle {
  draining: boolean;
}

/** `/health/live`: the process answers. `/health/ready`: it can do its work; 503 where it cannot, or is about to stop. */
export function healthRoutes(service: Service, lifecycle: Lifecycle): Router {
  const router = Router();

  router.get('/live', (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });

  router.get('/ready', async (_request, response) => {
    const { ready, checks } = await readinessOf(service.database);
    const status = lifecycle.draining ? 'draining' : ready ? 'ok' : 'failed';
    response
      .status(status === 'ok' ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status, checks });
  });

  return router;
}
