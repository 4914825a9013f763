import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import type { Route } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { LARGE_BODY_BYTES } from '../core/delivery.ts';
import { freeBuffer } from '../free-buffer.ts';
import { isLinkKey } from '../links/keys.ts';
import { headersOf, sendAnswer, setRouteHeaders } from './answers.ts';
import type { BodyRoom } from './body-room.ts';
import type { IsTrustedProxy } from './client-address.ts';
import { answerError } from './errors.ts';
import { readRawBody } from './raw-body.ts';
import { HttpRequestFacts } from './request-facts.ts';
import type { ObserveRequest } from './request-log.ts';
import type { HandleRoute } from './route-handler.ts';
import type { SetSecurityHeaders } from './security-headers.ts';

export interface FastPathParts {
  service: Service;
  routes: readonly Route[];
  isTrusted: IsTrustedProxy;
  room: BodyRoom;
  observe: ObserveRequest;
  handle: HandleRoute;
  setSecurityHeaders: SetSecurityHeaders;
}

type WebhookPath = { processor: string; endpointId: string };

const PLAIN_WEBHOOK = /^\/webhooks\/([a-z]+(?:-[a-z]+)*)\/(\w+)$/;

/**
 * Answers plain webhooks (`POST /webhooks/stripe/whe_1`), plain link requests (`GET /anna?utm_source=x`) and calls of the
 * API whose path has no parameters (`POST /api/track/sale`) without Express, and passes everything else to `fallback`. They
 * are the busiest requests, need none of Express's checks, and Express would double the cost of a recorded click and of a
 * small answer. They run the same routes and the same error mapper.
 */
export function answerPlainRequests(parts: FastPathParts, fallback: RequestListener): RequestListener {
  const { service, isTrusted, room, observe, handle, setSecurityHeaders } = parts;
  const answerWebhook = answerOf(routeOf(parts.routes, 'receiveWebhook'));
  const answerLink = answerOf(routeOf(parts.routes, 'followLink'));
  const fixed = fixedRoutesOf(parts.routes);

  function answerOf(route: Route) {
    const headers = headersOf(route, service.baseUrl);
    return async (parameters: object, request: IncomingMessage, response: ServerResponse): Promise<void> => {
      observe(request, response, () => route.path);
      const place = room.place();
      try {
        setRouteHeaders(headers, response);
        await route.admit?.(service, parameters);
        const body = route.rawBody ? await readRawBody(request, place) : undefined;
        const context = { service, caller: null, request: new HttpRequestFacts(request, isTrusted) };
        const result = await route.run(context, { parameters, query: {}, body, patch: undefined });
        // only now that the delivery is stored: after an error, it may still be on its way to the database
        if (body !== undefined && body.length > LARGE_BODY_BYTES) freeBuffer(body);
        await sendAnswer(route, response, result);
      } catch (error) {
        answerError(service, error, { request, response, route, isStranger: true });
      } finally {
        place.leave();
      }
    };
  }

  return (request, response) => {
    const webhookPath = plainWebhookOf(request);
    if (webhookPath !== null) return void answerWebhook(webhookPath, request, response);
    const linkPath = plainLinkOf(request);
    if (linkPath !== null) return void answerLink(linkPath, request, response);
    const call = fixedCallOf(fixed, request);
    if (call !== null) {
      observe(request, response, () => call.route.path);
      setSecurityHeaders(response);
      return void handle(call.route, { request, response, parameters: {}, query: call.query });
    }
    fallback(request, response);
  };
}

/** The parameters of a plain webhook request; null for any other request. */
export function plainWebhookOf({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): WebhookPath | null {
  if (method !== 'POST') return null;
  const [, processor, endpointId] = PLAIN_WEBHOOK.exec(url) ?? [];
  return processor === undefined || endpointId === undefined ? null : { processor, endpointId };
}

/** The key of a plain link request; null for any other request. */
function plainLinkOf({ method, url = '' }: IncomingMessage): { key: string } | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  const queryAt = url.indexOf('?');
  const key = url.slice(1, queryAt < 0 ? undefined : queryAt);
  return url.startsWith('/') && isLinkKey(key) ? { key } : null;
}

/** The routes of the API without parameters in their path, by method and path: `POST /api/track/sale`. */
type FixedRoutes = ReadonlyMap<string, Route>;

function fixedRoutesOf(routes: readonly Route[]): FixedRoutes {
  const fixed = routes.filter(({ path, accepts }) => {
    return path.startsWith('/api/') && !path.includes(':') && accepts === undefined;
  });
  return new Map(fixed.map((route) => [`${route.method} ${route.path}`, route]));
}

/** The route of a call with exactly its path, and the query as Express reads it; null for any other request. */
function fixedCallOf(
  routes: FixedRoutes,
  { method, url = '' }: IncomingMessage,
): { route: Route; query: object } | null {
  // a fragment is not part of a request, and Express decides how to handle one
  if (!url.startsWith('/api/') || url.includes('#')) return null;
  const queryAt = url.indexOf('?');
  const route = routes.get(`${method} ${queryAt < 0 ? url : url.slice(0, queryAt)}`);
  if (route === undefined) return null;
  return { route, query: queryAt < 0 ? {} : parseQuery(url.slice(queryAt + 1)) };
}

function routeOf(routes: readonly Route[], operationId: string): Route {
  const route = routes.find((candidate) => candidate.operationId === operationId);
  if (route === undefined) throw new Error(`No route ${operationId} is declared`);
  return route;
}
