import { accountRoutes } from '../accounts/api.ts';
import { operatorRoutes } from '../accounts/operator-api.ts';
import { sessionRoutes } from '../accounts/session-api.ts';
import { singleSignOnRoutes } from '../accounts/single-sign-on-api.ts';
import type { Route } from '../app/route.ts';
import { dubRoutes } from '../compat/dub/api.ts';
import { deliveryRoutes } from '../deliveries/api.ts';
import { endpointRoutes } from '../deliveries/endpoint-api.ts';
import { eventRoutes } from '../events/api.ts';
import { exchangeRoutes } from '../exchange/api.ts';
import { ledgerRoutes } from '../ledger/api.ts';
import { linkRoutes } from '../links/api.ts';
import { overviewRoutes } from '../overview/api.ts';
import { paymentRoutes } from '../payments/api.ts';
import { payoutRoutes } from '../payouts/api.ts';
import { payoutFileRoutes } from '../payouts/file-api.ts';
import { payoutStatementRoutes } from '../payouts/statement-api.ts';
import { transferRoutes } from '../payouts/transfers/api.ts';
import { portalDataRoutes } from '../portal/api.ts';
import { privacyRoutes } from '../privacy/api.ts';
import { programRoutes } from '../programs/api.ts';
import { archiveRoutes } from '../programs/archive-api.ts';
import { payoutDetailsRoutes } from '../programs/payout-details-api.ts';
import { portalRoutes } from '../programs/portal-api.ts';
import { reconciliationRoutes } from '../reconciliation/api.ts';
import { resultRoutes } from '../results/api.ts';
import { createDocsRoutes } from './docs-routes.ts';
import { createSystemRoutes } from './system-routes.ts';

/** Every route of the service's own API and pages, as the reference describes them. */
export function createRoutes(): Route[] {
  return [
    ...paymentRoutes,
    ...linkRoutes,
    ...programRoutes,
    ...archiveRoutes,
    ...portalRoutes,
    ...payoutDetailsRoutes,
    ...accountRoutes,
    ...operatorRoutes,
    ...sessionRoutes,
    ...singleSignOnRoutes,
    ...portalDataRoutes,
    ...resultRoutes,
    ...overviewRoutes,
    ...ledgerRoutes,
    ...payoutFileRoutes,
    ...payoutStatementRoutes,
    ...payoutRoutes,
    ...transferRoutes,
    ...privacyRoutes,
    ...exchangeRoutes,
    ...deliveryRoutes,
    ...endpointRoutes,
    ...reconciliationRoutes,
    ...eventRoutes,
    ...createSystemRoutes(),
    ...createDocsRoutes(),
  ];
}

/** The routes for clients of other products, whose own documentation describes them. */
export function createCompatRoutes(): readonly Route[] {
  return dubRoutes;
}
