import { type RequestHandler, Router } from 'express';
import { ServiceError } from '../errors.ts';
import { allowMethods, isTakenBy, markRoute } from './locals.ts';
import { type RouteGroup, routesOf } from './routes.ts';

/**
 * A group behind its checks. They run only where one of the group's routes takes the request, so that an unknown path
 * is 404 and a wrong method 405 for everybody; and the group's router runs only where they ran.
 */
export function gate(group: RouteGroup, checks: readonly RequestHandler[]): Router {
  const router = Router();
  for (const { path, pattern, methods } of routesOf(group)) {
    const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
    router.all(path, (request, response, next) => {
      if (allowed.includes(request.method)) markRoute(response, group, pattern);
      else allowMethods(response, allowed);
      next();
    });
  }
  router.use((_request, response, next) => next(isTakenBy(response, group) ? undefined : 'router'));
  for (const check of [...(group.before ?? []), ...checks]) {
    router.use((request, response, next) => (request.method === 'OPTIONS' ? next() : check(request, response, next)));
  }
  router.use(group.router);
  return router;
}

/** For what no group took: 405 with `Allow` where another method would have been right, else 404. */
export const refuseUnknown: RequestHandler = (request, response) => {
  const allowed = allowMethods(response, []);
  if (allowed.length === 0) {
    throw new ServiceError('NOT_FOUND', `There is nothing at ${request.method} ${request.path}`);
  }
  response.set('Allow', allowed.join(', '));
  if (request.method === 'OPTIONS') {
    response.status(204).end();
    return;
  }
  throw new ServiceError('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; use ${allowed.join(' or ')}`);
};
