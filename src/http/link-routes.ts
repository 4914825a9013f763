import { Router } from 'express';
import type { Service } from '../app/service.ts';
import { changeLink, createLink, getLink, listLinks } from '../links/links.ts';
import { accountOf } from './locals.ts';

/** `/api/links`: where partners send people, and how often it worked. */
export function linkRoutes(service: Service): Router {
  const router = Router();

  router.post('/', async (request, response) => {
    response.status(201).json(await createLink(service, accountOf(response), request.body));
  });

  router.get('/', async (request, response) => {
    response.json(await listLinks(service, accountOf(response), request.query));
  });

  router.get('/:id', async (request, response) => {
    response.json(await getLink(service, accountOf(response), request.params.id, request.query));
  });

  router.patch('/:id', async (request, response) => {
    response.json(await changeLink(service, accountOf(response), request.params.id, request.body));
  });

  return router;
}
