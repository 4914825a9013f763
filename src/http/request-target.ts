import type { IncomingMessage } from 'node:http';

const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#]*@)?([^/?#@]*)(.*)$/i;

/**
 * Turns a request target that is a whole URL, as for a proxy, into its path and query, and its host into the `Host`
 * (RFC 9112, 3.2.2). Express cannot read some of them, and would answer those with a page of its own, without a log line.
 */
export function usePathOfTarget(request: IncomingMessage): void {
  const { url = '', headers } = request;
  if (url.startsWith('/')) return;
  const [, host, path] = ABSOLUTE.exec(url) ?? [];
  if (host === undefined || path === undefined) return;
  request.url = path.startsWith('/') ? path : `/${path}`;
  if (headers.host !== undefined) headers.host = host;
}
