import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../errors.ts';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * True when the browser says that the request comes from a page of this service, false for another page; null if it
 * says nothing.
 */
export function isFromOwnPage({ headers }: IncomingMessage, baseUrl: string): boolean | null {
  // no page can forge either header; browsers send the first only over https and to localhost
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin === undefined ? null : headers.origin === baseUrl;
}

/**
 * Requires a changing request with a cookie to come from a page of this service. `SameSite=Strict` keeps other sites out,
 * but a neighboring subdomain is the same site.
 *
 * @throws ServiceError `FORBIDDEN`
 */
export function requireOwnPage(request: IncomingMessage, baseUrl: string): void {
  if (READING.has(request.method ?? '') || isFromOwnPage(request, baseUrl) === true) return;
  throw new ServiceError(
    'FORBIDDEN',
    `A change with a session must come from a page of ${baseUrl}: send its Origin or Sec-Fetch-Site header, or use an API key`,
  );
}

/**
 * Refuses a request from a page of another origin; a request that does not come from a browser passes.
 *
 * @throws ServiceError `FORBIDDEN`
 */
export function refuseForeignPage(request: IncomingMessage, baseUrl: string): void {
  if (isFromOwnPage(request, baseUrl) !== false) return;
  throw new ServiceError('FORBIDDEN', `Only pages of ${baseUrl} may send this request`);
}
