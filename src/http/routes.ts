import { accountRoutes } from '../accounts/api.ts';
import { operatorRoutes } from '../accounts/operator-api.ts';
import { sessionRoutes } from '../accounts/session-api.ts';
import type { Route } from '../app/route.ts';
import { deliveryRoutes } from '../deliveries/api.ts';
import { endpointRoutes } from '../deliveries/endpoint-api.ts';
import { ledgerRoutes } from '../ledger/api.ts';
import { linkRoutes } from '../links/api.ts';
import { overviewRoutes } from '../overview/api.ts';
import { paymentRoutes } from '../payments/api.ts';
import { payoutRoutes } from '../payouts/api.ts';
import { portalDataRoutes } from '../portal/api.ts';
import { programRoutes } from '../programs/api.ts';
import { portalRoutes } from '../programs/portal-api.ts';
import { resultRoutes } from '../results/api.ts';
import { createDocsRoutes } from './docs-routes.ts';
import { createSystemRoutes } from './system-routes.ts';

/** Every route of the service. */
export function createRoutes(): Route[] {
  return [
    ...paymentRoutes,
    ...linkRoutes,
    ...programRoutes,
    ...portalRoutes,
    ...accountRoutes,
    ...operatorRoutes,
    ...sessionRoutes,
    ...portalDataRoutes,
    ...resultRoutes,
    ...overviewRoutes,
    ...ledgerRoutes,
    ...payoutRoutes,
    ...deliveryRoutes,
    ...endpointRoutes,
    ...createSystemRoutes(),
    ...createDocsRoutes(),
  ];
}
