import { Router } from 'express';
import type { Service } from '../app/service.ts';
import { changeProgram, createProgram, getProgram, listPrograms } from '../programs/programs.ts';
import { accountOf } from './locals.ts';

/** `/api/programs`: the terms and the portal of each of the account's programs. */
export function programRoutes(service: Service): Router {
  const router = Router();

  router.post('/', async (request, response) => {
    response.status(201).json(await createProgram(service, accountOf(response), request.body));
  });

  router.get('/', async (request, response) => {
    response.json(await listPrograms(service, accountOf(response), request.query));
  });

  router.get('/:id', async (request, response) => {
    response.json(await getProgram(service, accountOf(response), request.params.id));
  });

  router.patch('/:id', async (request, response) => {
    response.json(await changeProgram(service, accountOf(response), request.params.id, request.body));
  });

  return router;
}
