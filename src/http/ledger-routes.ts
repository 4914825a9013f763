import { Router } from 'express';
import { adjust } from '../tracking/adjustments.ts';
import type { Service } from '../tracking/service.ts';
import { listLedger } from '../tracking/view-money.ts';
import { accountOf } from './locals.ts';

/** `/api/ledger`: what partners are owed, entry by entry. */
export function ledgerRoutes(service: Service): Router {
  const router = Router();
  router.get('/', async (request, response) => {
    response.json(await listLedger(service, accountOf(response), request.query));
  });
  return router;
}

/** `/api/adjustments`: entries by hand. */
export function adjustmentRoutes(service: Service): Router {
  const router = Router();
  router.post('/', async (request, response) => {
    response.status(201).json(await adjust(service, accountOf(response), request.body));
  });
  return router;
}
