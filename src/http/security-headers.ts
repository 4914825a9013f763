import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Helmet, with two defaults relaxed: the link domain may be a company's main domain, whose subdomains we must not force
 * to https; and a service on plain http would break if browsers upgraded its requests.
 */
export function securityHeaders(baseUrl: string): RequestHandler {
  const isHttps = baseUrl.startsWith('https:');
  return helmet({
    strictTransportSecurity: isHttps && { includeSubDomains: false },
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: isHttps ? [] : null } },
  });
}
