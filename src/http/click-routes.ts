import { type RequestHandler, Router } from 'express';
import type { Service } from '../app/service.ts';
import { trackClick } from '../links/click.ts';
import { visitorOf } from './visitor.ts';

const PREFLIGHT_SECONDS = 86_400;

/** Lets every page read the answer, also a refusal: it carries no credential and tells nothing but an id. */
export const allowAnyOrigin: RequestHandler = (_request, response, next) => {
  response.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' });
  next();
};

/** `/api/track/click`: visits of `?via=<key>` links, reported by the browsers themselves. */
export function clickRoutes(service: Service): Router {
  const router = Router();

  router.options('/click', allowAnyOrigin, (_request, response) => {
    response
      .set({
        Allow: 'POST, OPTIONS',
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': 'Content-Type',
        'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
      })
      .status(204)
      .end();
  });

  router.post('/click', async (request, response) => {
    const visitor = visitorOf(service, request, request.app.get('trust proxy fn'));
    const clickId = await trackClick(service, request.body, request.get('origin') ?? null, visitor);
    response.set('Cache-Control', 'no-store').json({ clickId });
  });

  return router;
}
