import type { RequestListener } from 'node:http';
import express, { type RequestHandler } from 'express';
import type { Service } from '../app/service.ts';
import { requireApiKey } from './authentication.ts';
import type { IsTrustedProxy } from './client-address.ts';
import { errorHandler } from './errors.ts';
import { gate, refuseUnknown } from './gate.ts';
import { jsonBody } from './json-body.ts';
import type { Metrics } from './metrics.ts';
import { limitRequests, type RequestCounter } from './rate-limit.ts';
import { rawBody } from './raw-body.ts';
import { LINK_PATTERN, linkHandler, linkKeyOf } from './redirect-routes.ts';
import { observeRequests, requestObserver } from './request-log.ts';
import type { Credential, RouteGroup } from './routes.ts';
import { securityHeaders } from './security-headers.ts';
import { WEBHOOK_PATTERN, webhookHandler, webhookPathOf } from './webhook-routes.ts';

export interface AppOptions {
  counter: RequestCounter;
  metrics: Metrics;
  /** Express's `trust proxy`: which hops may name the client's address. */
  trustProxy: boolean | number | string;
}

/**
 * The HTTP application: every group behind the checks of its credential, every answer under `/api` in JSON.
 *
 * Plain requests for a link and plain webhooks are answered before Express: none of its checks applies to them, they
 * are the busiest of all, and passing by the groups would cost a link as much again as recording the click.
 */
export function createApp(service: Service, groups: readonly RouteGroup[], options: AppOptions): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  // answers are events or small lists: hashing each for a conditional request that nobody sends is wasted
  app.disable('etag');
  app.set('trust proxy', options.trustProxy);
  app.set('query parser', 'simple');
  const observe = requestObserver(service.log, options.metrics);
  app.use(observeRequests(observe));

  const checks: Record<Credential, RequestHandler[]> = {
    'api-key': [requireApiKey(service), limitRequests(service, options.counter), jsonBody],
    'embed-token': [jsonBody],
    signature: [rawBody],
    public: [jsonBody],
  };
  const isBrowsers = ({ credential }: RouteGroup) => credential !== 'signature';
  const mount = (group: RouteGroup) => app.use(group.path, gate(group, checks[group.credential]));
  // a dozen headers for browsers are no use to a processor, and this is the busiest way
  for (const group of groups) if (!isBrowsers(group)) mount(group);
  app.use(securityHeaders(service.baseUrl));
  for (const group of groups) if (isBrowsers(group)) mount(group);

  app.use(refuseUnknown);
  app.use(errorHandler(service.log));

  const answerWebhook = webhookHandler(service, options.metrics);
  const answerLink = linkHandler(service, options.metrics);
  const isTrusted: IsTrustedProxy = app.get('trust proxy fn');
  return (request, response) => {
    const webhook = webhookPathOf(request);
    if (webhook !== null) {
      observe(request, response, () => WEBHOOK_PATTERN);
      void answerWebhook(request, response, webhook);
      return;
    }
    const key = linkKeyOf(request);
    if (key === null) return app(request, response);
    observe(request, response, () => LINK_PATTERN);
    void answerLink(request, response, key, isTrusted);
  };
}
