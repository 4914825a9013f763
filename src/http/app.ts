import type { RequestListener, ServerResponse } from 'node:http';
import express, { type RequestHandler } from 'express';
import type { Route } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { excerpt, ServiceError } from '../errors.ts';
import { BodyRoom } from './body-room.ts';
import type { IsTrustedProxy } from './client-address.ts';
import { CrossOrigin } from './cors.ts';
import { answerDeadPath } from './dead-path.ts';
import { errorHandler } from './errors.ts';
import { answerPlainRequests } from './fast-path.ts';
import { withoutDoubledSlashes } from './own-url.ts';
import { answerPages } from './pages.ts';
import { limitPartners } from './partner-limit.ts';
import { answerPortal } from './portal-page.ts';
import type { RequestCounter } from './rate-limit.ts';
import { requestObserver } from './request-log.ts';
import { createRouteHandler, type HandleRoute } from './route-handler.ts';
import { routesByPath } from './route-order.ts';
import { securityHeaders } from './security-headers.ts';

export interface AppOptions {
  counter: RequestCounter;
  /** Which hops may report the client's address. */
  isTrusted: IsTrustedProxy;
}

/** The HTTP application: every declared route, 404 and 405 for everything else, every error in the same shape. */
export function createApp(
  service: Service,
  routes: readonly Route[],
  { counter, isTrusted }: AppOptions,
): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  // answers are small and change often: hashing each for conditional requests that nobody sends is wasted
  app.disable('etag');
  app.set('trust proxy', isTrusted);
  app.set('query parser', 'simple');
  const room = new BodyRoom();
  const handle = createRouteHandler({ service, counter, isTrusted, room });
  const crossOrigin = new CrossOrigin(service);
  const patterns = new WeakMap<ServerResponse, string>();

  const mount = (path: string, declared: readonly Route[]) => {
    const answer = dispatch(declared, handle, crossOrigin);
    // not app.all(), which keeps a layer for each of 35 methods
    app.route(path).all((request, response, next) => {
      patterns.set(response, path);
      return answer(request, response, next);
    });
  };
  const setSecurityHeaders = securityHeaders(service.baseUrl);
  app.use((_request, response, next) => {
    setSecurityHeaders(response);
    next();
  });
  for (const [path, declared] of routesByPath(routes)) mount(path, declared);
  // first, because the preview's path lies below the dashboard's
  app.use(answerPortal(service, limitPartners(counter)));
  app.use(answerPages());
  app.use(answerDeadPath(service));
  app.use(({ method, path }) => {
    const isOfOthers = path.startsWith('/compat/');
    const message = isOfOthers
      ? `${method} ${excerpt(path)} is not offered by Refbridge`
      : `There is nothing at ${method} ${excerpt(path)}; /docs/api lists what there is`;
    throw new ServiceError('NOT_FOUND', message);
  });
  app.use(errorHandler(service));

  const observe = requestObserver(service.log, service.metrics);
  const throughExpress: RequestListener = (request, response) => {
    observe(request, response, () => patterns.get(response) ?? 'none');
    request.url = withoutDoubledSlashes(request.url ?? '/');
    app(request, response);
  };
  return answerPlainRequests({ service, routes, isTrusted, room, observe, handle, setSecurityHeaders }, throughExpress);
}

/** Runs the route of the request's method; otherwise answers 405 with `Allow`, or the preflight. */
function dispatch(declared: readonly Route[], handle: HandleRoute, crossOrigin: CrossOrigin): RequestHandler {
  const methods = [...new Set(declared.map(({ method }) => method))];
  const cors = declared.find((route) => route.cors !== undefined)?.cors;
  const allowed = [...methods, ...(cors ? ['OPTIONS'] : []), ...(methods.includes('GET') ? ['HEAD'] : [])];
  return async (request, response, next) => {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const parameters = request.params as Record<string, string>;
    const route = declared.find((candidate) => candidate.method === method);
    if (route !== undefined) {
      if (route.accepts && !route.accepts(parameters)) return next();
      return handle(route, { request, response, parameters, query: request.query });
    }
    response.setHeader('Allow', allowed.join(', '));
    if (request.method === 'OPTIONS' && cors) return crossOrigin.answerPreflight(cors, methods, request, response);
    if (request.method !== 'OPTIONS') {
      const message = `${request.method} is not allowed here; use ${allowed.join(' or ')}`;
      throw new ServiceError('METHOD_NOT_ALLOWED', message);
    }
    response.writeHead(204).end();
  };
}
