import { Router } from 'express';
import type { Service } from '../app/service.ts';
import { getEarnings } from '../ledger/earnings.ts';
import { changePartner, createPartner, getPartner, listPartners } from '../programs/partners.ts';
import { accountOf } from './locals.ts';

/** `/api/partners`: who refers, in which program, under which codes. */
export function partnerRoutes(service: Service): Router {
  const router = Router();

  router.post('/', async (request, response) => {
    response.status(201).json(await createPartner(service, accountOf(response), request.body));
  });

  router.get('/', async (request, response) => {
    response.json(await listPartners(service, accountOf(response), request.query));
  });

  router.get('/:id', async (request, response) => {
    response.json(await getPartner(service, accountOf(response), request.params.id));
  });

  router.patch('/:id', async (request, response) => {
    response.json(await changePartner(service, accountOf(response), request.params.id, request.body));
  });

  router.get('/:id/earnings', async (request, response) => {
    response.json(await getEarnings(service, accountOf(response), request.params.id, request.query));
  });

  return router;
}
