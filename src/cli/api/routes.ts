import type { Route } from '../../app/route.ts';
import type { OperationId } from './account-api.ts';
import { ROUTE_LISTS } from './route-lists.ts';

/** The declaration of an operation, loaded with the few of the same list: all routes take a fifth of a second. */
export async function loadRoute(operationId: OperationId): Promise<Route> {
  const routes = await ROUTE_LISTS[operationId]?.();
  const route = routes?.find((declared) => declared.operationId === operationId);
  if (route === undefined) throw new Error(`No route ${operationId} is declared`);
  return route;
}
