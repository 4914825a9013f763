import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Router } from 'express';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import { followLink } from '../links/follow.ts';
import { isLinkKey } from '../links/keys.ts';
import type { IsTrustedProxy } from './client-address.ts';
import type { Metrics } from './metrics.ts';
import { visitorOf } from './visitor.ts';

/** The route of a partner's link. */
export const LINK_PATTERN = '/:key';

/** Answers a request for a link; settles when it is answered, and never rejects. */
export type LinkHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  key: string,
  isTrusted: IsTrustedProxy,
) => Promise<void>;

/** The key of a plain request for a link (`GET /anna?utm_source=x`), null for everything else. */
export function linkKeyOf({ method, url = '' }: IncomingMessage): string | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  const queryAt = url.indexOf('?');
  const key = url.slice(1, queryAt < 0 ? undefined : queryAt);
  return url.startsWith('/') && isLinkKey(key) ? key : null;
}

/** `/:key` on a link's domain, for the requests that are not plain: another method, an encoded path. */
export function redirectRoutes(service: Service, metrics: Metrics): Router {
  const router = Router();
  const answer = linkHandler(service, metrics);
  router.get(LINK_PATTERN, (request, response, next) => {
    const { key } = request.params;
    if (isLinkKey(key)) void answer(request, response, key, request.app.get('trust proxy fn'));
    else next();
  });
  return router;
}

/** Records the visit and sends the visitor on. Nothing ever keeps a person from the page. */
export function linkHandler(service: Service, metrics: Metrics): LinkHandler {
  const headers = headersFor(service.baseUrl);
  return async (request, response, key, isTrusted) => {
    try {
      const { host: domain = '' } = request.headers;
      const followed = await followLink(
        service,
        { domain, key, query: queryOf(request.url) },
        visitorOf(service, request, isTrusted),
      );
      if (followed === null) return answerText(response, 404, 'There is no such link.', headers);
      const { linkId, destination, lossReason } = followed;
      if (lossReason !== null) {
        metrics.clickLost();
        service.log.error({ linkId, reason: lossReason }, 'click lost: the visitor was sent on without an id');
      }
      response.writeHead(302, { ...headers, Location: destination, 'Content-Length': 0 }).end();
    } catch (error) {
      answerFailure(service, response, error, headers);
    }
  };
}

/**
 * `no-referrer`, which the other answers send, would hide from the shop where its visitor came from. With this policy it
 * sees what the page with the link chose to show us.
 */
function headersFor(baseUrl: string): OutgoingHttpHeaders {
  return {
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer-when-downgrade',
    'X-Content-Type-Options': 'nosniff',
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}

/** Only a link that this process never saw, or not lately, cannot be followed while the database is away. */
function answerFailure({ log }: Service, response: ServerResponse, error: unknown, headers: OutgoingHttpHeaders): void {
  const isExpected = error instanceof ServiceError && error.code === 'UNAVAILABLE';
  if (isExpected) log.warn({ status: 503, reason: error.message }, 'a link could not be looked up');
  else log.error({ status: 503, err: error }, 'request failed');
  const retryAfter = { 'Retry-After': String((isExpected ? error.retryAfterSeconds : undefined) ?? 2) };
  if (response.headersSent) response.destroy();
  else
    answerText(response, 503, 'This link cannot be opened right now. Please try again in a moment.', {
      ...headers,
      ...retryAfter,
    });
}

function answerText(response: ServerResponse, status: number, text: string, headers: OutgoingHttpHeaders): void {
  const body = `${text}\n`;
  const type = { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...type }).end(body);
}

function queryOf(url = ''): string {
  const queryAt = url.indexOf('?');
  return queryAt < 0 ? '' : url.slice(queryAt + 1);
}
