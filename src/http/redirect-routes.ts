import { type RequestHandler, Router } from 'express';
import { isbot } from 'isbot';
import { destinationOf, findLink, hostOf, recordClick, trackClick } from '../tracking/click.ts';
import { isReservedKey } from '../tracking/link-keys.ts';
import type { Service } from '../tracking/service.ts';
import { clickLossCount } from './metrics.ts';

/** `/api/track/click`: open to every page, because it carries no credential and answers nothing but an id. */
export function clickRoutes(service: Service): Router {
  const router = Router();
  const allowAnyOrigin: RequestHandler = (_request, response, next) => {
    response.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Max-Age': '86400' });
    next();
  };
  router.options('/click', allowAnyOrigin, (_request, response) => {
    response
      .set({ 'Access-Control-Allow-Methods': 'POST', 'Access-Control-Allow-Headers': 'Content-Type' })
      .status(204)
      .end();
  });
  router.post('/click', allowAnyOrigin, async (request, response) => {
    const visit = { device: deviceOf(request.get('user-agent')), country: null, visitorHash: null };
    response.json({ clickId: await trackClick(service, request.body, visit) });
  });
  return router;
}

/** `/:key` on a link's domain: records the visit and sends the visitor on. Nothing ever keeps a person from the page. */
export function redirectRoutes(service: Service): Router {
  const router = Router();
  router.get('/:key', async (request, response, next) => {
    if (isReservedKey(request.params.key)) return next();
    const domain = (request.get('host') ?? '').toLowerCase();
    const link = await findLink(service, domain, request.params.key);
    response.set('Cache-Control', 'no-store');
    if (link === null) {
      response.status(404).type('text/plain').send('There is no such link.\n');
      return;
    }
    if (request.method === 'HEAD' || isPrefetch(request.headers) || isbot(request.get('user-agent') ?? '')) {
      response.redirect(302, link.url);
      return;
    }
    const visit = {
      referrerHost: hostOf(request.get('referer')),
      device: deviceOf(request.get('user-agent')),
      country: null,
      visitorHash: null,
    };
    try {
      response.redirect(302, destinationOf(link.url, await recordClick(service, link, visit)));
    } catch (error) {
      clickLossCount.inc();
      const reason = error instanceof Error ? error.message : String(error);
      service.log.error({ linkId: link.id, reason }, 'click lost: the visitor was sent on without an id');
      response.redirect(302, link.url);
    }
  });
  return router;
}

function isPrefetch(headers: NodeJS.Dict<string | string[]>): boolean {
  return [headers['sec-purpose'], headers.purpose, headers['x-purpose']].some((value) =>
    /prefetch|prerender|preview/i.test(String(value ?? '')),
  );
}

/** A coarse class, enough for a chart. */
function deviceOf(userAgent: string | undefined): string | null {
  if (!userAgent) return null;
  if (/iPad|Tablet|Android(?!.*Mobile)/i.test(userAgent)) return 'tablet';
  return /Mobi|iPhone|Android/i.test(userAgent) ? 'mobile' : 'desktop';
}
