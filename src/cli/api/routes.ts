import type { Route } from '../../app/route.ts';
import { createRoutes } from '../../http/routes.ts';
import type { OperationId } from './account-api.ts';

const ROUTES = new Map(createRoutes().map((route) => [route.operationId as OperationId, route]));

/** The declaration of an operation; both kinds of API and the options of commands are derived from it. */
export function routeOf(operationId: OperationId): Route {
  const route = ROUTES.get(operationId);
  if (route === undefined) throw new Error(`No route ${operationId} is declared`);
  return route;
}
