import { Router } from 'express';
import type { Service } from '../app/service.ts';
import { changeEndpoint, createEndpoint, deleteEndpoint, getEndpoint, listEndpoints } from '../deliveries/endpoints.ts';
import { accountOf } from './locals.ts';

/** `/api/webhook-endpoints`: where processors post to, and by what they are recognised. */
export function endpointRoutes(service: Service): Router {
  const router = Router();

  router.post('/', async (request, response) => {
    response.status(201).json(await createEndpoint(service, accountOf(response), request.body));
  });

  router.get('/', async (request, response) => {
    response.json(await listEndpoints(service, accountOf(response), request.query));
  });

  router.get('/:id', async (request, response) => {
    response.json(await getEndpoint(service, accountOf(response), request.params.id));
  });

  router.patch('/:id', async (request, response) => {
    response.json(await changeEndpoint(service, accountOf(response), request.params.id, request.body));
  });

  router.delete('/:id', async (request, response) => {
    await deleteEndpoint(service, accountOf(response), request.params.id);
    response.status(204).end();
  });

  return router;
}
