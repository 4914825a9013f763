import { Router } from 'express';
import { createApiKey, listApiKeys, revokeApiKey } from '../accounts/api-keys.ts';
import type { Service } from '../app/service.ts';
import { accountOf } from './locals.ts';

/** `/api/api-keys`: further keys of the account, and their revocation. */
export function apiKeyRoutes(service: Service): Router {
  const router = Router();

  router.post('/', async (request, response) => {
    response.status(201).json(await createApiKey(service, accountOf(response), request.body));
  });

  router.get('/', async (request, response) => {
    response.json(await listApiKeys(service, accountOf(response), request.query));
  });

  router.delete('/:id', async (request, response) => {
    await revokeApiKey(service, accountOf(response), request.params.id);
    response.status(204).end();
  });

  return router;
}
