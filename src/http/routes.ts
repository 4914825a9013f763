import { accountRoutes } from '../accounts/api.ts';
import type { Route } from '../app/route.ts';
import { deliveryRoutes } from '../deliveries/api.ts';
import { endpointRoutes } from '../deliveries/endpoint-api.ts';
import { ledgerRoutes } from '../ledger/api.ts';
import { linkRoutes } from '../links/api.ts';
import { paymentRoutes } from '../payments/api.ts';
import { payoutRoutes } from '../payouts/api.ts';
import { programRoutes } from '../programs/api.ts';
import { createDocsRoutes } from './docs-routes.ts';
import { createSystemRoutes } from './system-routes.ts';

/** Every route of the service. */
export function createRoutes(): Route[] {
  return [
    ...paymentRoutes,
    ...linkRoutes,
    ...programRoutes,
    ...accountRoutes,
    ...ledgerRoutes,
    ...payoutRoutes,
    ...deliveryRoutes,
    ...endpointRoutes,
    ...createSystemRoutes(),
    ...createDocsRoutes(),
  ];
}
