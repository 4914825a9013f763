import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import { http } from '../app/node-http.ts';

/** Sets the security headers of an answer. */
export type SetSecurityHeaders = (response: ServerResponse) => void;

/**
 * Helmet's headers, with two defaults relaxed: the link domain may be a company's main domain, whose subdomains we must not
 * force to https; and a service on plain http would break if browsers upgraded its requests. They are the same for every
 * request, so Helmet's thirteen functions run once.
 */
export function securityHeaders(baseUrl: string): SetSecurityHeaders {
  const isHttps = baseUrl.startsWith('https:');
  const setHeaders = helmet({
    strictTransportSecurity: isHttps && { includeSubDomains: false },
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: isHttps ? [] : null } },
  });
  const headers: [name: string, value: string][] = [];
  const example = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => {},
  } as unknown as ServerResponse;
  setHeaders(new http.IncomingMessage(new Socket()), example, (error) => {
    if (error !== undefined) throw error;
  });
  return (response) => {
    for (const [name, value] of headers) response.setHeader(name, value);
  };
}
