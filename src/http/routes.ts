import type { RequestHandler, Router } from 'express';
import type { Service } from '../app/service.ts';
import { limitByAddress } from './address-limit.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import { allowAnyOrigin, clickRoutes } from './click-routes.ts';
import { embedTokenRoutes, portalRoutes } from './embed-routes.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import { healthRoutes, type Lifecycle } from './health.ts';
import { adjustmentRoutes, ledgerRoutes } from './ledger-routes.ts';
import { linkRoutes } from './link-routes.ts';
import type { Metrics } from './metrics.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { partnerRoutes } from './partner-routes.ts';
import { payoutRoutes } from './payout-routes.ts';
import { programRoutes } from './program-routes.ts';
import { customerRoutes, deliveryRoutes, leadRoutes, parkedPaymentRoutes } from './read-routes.ts';
import { redirectRoutes } from './redirect-routes.ts';
import { saleRoutes } from './sale-routes.ts';
import { scriptRoutes } from './script-routes.ts';
import { trackingRoutes } from './tracking-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

/**
 * What a request must show before a group's handlers run:
 * `api-key`: authentication, rate limit and JSON are the frame's; a handler asks `accountOf(response)`.
 * `embed-token`: JSON is the frame's; the router checks the token, because only it knows the origins.
 * `signature`: `request.body` is the raw bytes; the router checks the signature.
 * `public`: JSON is the frame's.
 * A method `OPTIONS` that a router registers runs without any of it: a preflight carries nothing.
 */
export type Credential = 'api-key' | 'embed-token' | 'signature' | 'public';

export interface RouteGroup {
  /** Where the router is mounted: `/api/api-keys`. Its own routes begin there: `/`, `/:id`. */
  path: string;
  credential: Credential;
  /** What runs before the frame's checks, so that it holds for what they refuse too. */
  before?: RequestHandler[];
  router: Router;
}

/** What the routes need to know of the process they run in. */
export interface Platform {
  lifecycle: Lifecycle;
  metrics: Metrics;
}

/** Every route of the service: one line per group, the busiest first, `/:key` last. */
export function routeGroups(service: Service, { lifecycle, metrics }: Platform): RouteGroup[] {
  return [
    { path: '/webhooks', credential: 'signature', router: webhookRoutes(service, metrics) },
    { path: '/api/track', credential: 'api-key', router: trackingRoutes(service) },
    {
      path: '/api/track',
      credential: 'public',
      before: [allowAnyOrigin, limitByAddress()],
      router: clickRoutes(service),
    },
    { path: '/api/sales', credential: 'api-key', router: saleRoutes(service) },
    { path: '/api/customers', credential: 'api-key', router: customerRoutes(service) },
    { path: '/api/leads', credential: 'api-key', router: leadRoutes(service) },
    { path: '/api/deliveries', credential: 'api-key', router: deliveryRoutes(service) },
    { path: '/api/parked-payments', credential: 'api-key', router: parkedPaymentRoutes(service) },
    { path: '/api/ledger', credential: 'api-key', router: ledgerRoutes(service) },
    { path: '/api/adjustments', credential: 'api-key', router: adjustmentRoutes(service) },
    { path: '/api/payouts', credential: 'api-key', router: payoutRoutes(service) },
    { path: '/api/embed/referrals', credential: 'embed-token', router: portalRoutes(service) },
    { path: '/api/embed/token', credential: 'api-key', router: embedTokenRoutes(service) },
    { path: '/api/programs', credential: 'api-key', router: programRoutes(service) },
    { path: '/api/partners', credential: 'api-key', router: partnerRoutes(service) },
    { path: '/api/links', credential: 'api-key', router: linkRoutes(service) },
    { path: '/api/webhook-endpoints', credential: 'api-key', router: endpointRoutes(service) },
    { path: '/api/api-keys', credential: 'api-key', router: apiKeyRoutes(service) },
    { path: '/script.js', credential: 'public', router: scriptRoutes() },
    { path: '/health', credential: 'public', router: healthRoutes(service, lifecycle) },
    { path: '/metrics', credential: 'public', router: metricsRoutes(metrics) },
    { path: '/', credential: 'public', router: redirectRoutes(service, metrics) },
  ];
}

export interface Route {
  /** As the router wrote it: `/:id`. */
  path: string;
  /** With the group's path: `/api/api-keys/:id`. */
  pattern: string;
  credential: Credential;
  /** Upper case: `GET`. */
  methods: string[];
}

/** The registered routes of a group, each path once. */
export function routesOf(group: RouteGroup): Route[] {
  const methodsByPath = new Map<string, Set<string>>();
  for (const { route } of group.router.stack) {
    if (route === undefined) continue;
    const methods = methodsByPath.get(route.path) ?? new Set();
    methodsByPath.set(route.path, methods);
    for (const { method } of route.stack) methods.add(method.toUpperCase());
  }
  const { credential } = group;
  const prefix = group.path.replace(/\/$/, '');
  return [...methodsByPath].map(([path, methods]) => ({
    path,
    pattern: path === '/' ? group.path : prefix + path,
    credential,
    methods: [...methods],
  }));
}
