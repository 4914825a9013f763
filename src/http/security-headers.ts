import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Helmet, with two defaults narrowed: a link domain may be a company's main one, whose other hosts are not ours to
 * force to https; and a service that is reached by plain http would break by having its requests upgraded.
 */
export function securityHeaders(baseUrl: string): RequestHandler {
  const isHttps = baseUrl.startsWith('https:');
  return helmet({
    strictTransportSecurity: isHttps && { includeSubDomains: false },
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: isHttps ? [] : null } },
  });
}
