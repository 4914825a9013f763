import { Router } from 'express';
import type { Service } from '../app/service.ts';
import { adjust } from '../ledger/adjustments.ts';
import { listLedger } from '../ledger/list.ts';
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
