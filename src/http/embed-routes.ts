import { type Request, type Response, Router } from 'express';
import type { Service } from '../app/service.ts';
import { type EmbedSession, findEmbedSession, issueEmbedToken } from '../programs/embed-tokens.ts';
import { getPortalConfig, isPortalOrigin } from '../programs/portal-config.ts';
import { bearerToken, unauthorized } from './authentication.ts';
import { allowOrigin, originNotAllowed, preflight, varyByOrigin } from './cors.ts';
import { accountOf } from './locals.ts';

/** `/api/embed/token`, behind an API key: the caller's backend asks for a token for one of its partners. */
export function embedTokenRoutes(service: Service): Router {
  const router = Router();

  router.post('/', async (request, response) => {
    const issued = await issueEmbedToken(service, accountOf(response), request.body);
    response.set('Cache-Control', 'no-store').json(issued);
  });

  return router;
}

/** `/api/embed/referrals`, behind an embed token: what a browser in somebody else's page asks for. */
export function portalRoutes(service: Service): Router {
  const router = Router();
  const ownOrigin = new URL(service.baseUrl).origin;

  router.get('/portal-config', async (request, response) => {
    varyByOrigin(response);
    const session = await requireSession(service, request, response);
    const config = await getPortalConfig(service, session);
    const { origin } = request.headers;
    if (origin !== undefined && origin !== ownOrigin) {
      if (!config.allowedOrigins.includes(origin)) throw originNotAllowed(origin);
      allowOrigin(response, origin);
    }
    response.set('Cache-Control', 'private, no-store').json(config);
  });

  router.options(
    '/portal-config',
    preflight(['GET'], async (origin) => origin === ownOrigin || isPortalOrigin(service, origin)),
  );

  return router;
}

async function requireSession(service: Service, request: Request, response: Response): Promise<EmbedSession> {
  const { authorization, origin } = request.headers;
  const token = bearerToken(authorization);
  const session = token === null ? null : await findEmbedSession(service, token);
  if (session !== null) return session;
  // without CORS the page could not tell an expired token, which it renews, from a broken network
  if (origin !== undefined && (await isPortalOrigin(service, origin))) allowOrigin(response, origin);
  throw unauthorized(response, authorization, 'Invalid or missing embed token');
}
