import type { RequestHandler, Response } from 'express';
import { findApiKeyIdentity } from '../accounts/api-keys.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import { setApiKey } from './locals.ts';

/**
 * Lets a request pass that carries a working API key, and remembers whose it is.
 *
 * @throws ServiceError `UNAUTHORIZED`, the same for a missing, malformed, unknown and revoked key
 */
export function requireApiKey(service: Service): RequestHandler {
  return async (request, response, next) => {
    const token = bearerToken(request.headers.authorization);
    const identity = token === null ? null : await findApiKeyIdentity(service, token);
    if (identity === null) throw unauthorized(response, request.headers.authorization, 'Invalid or missing API key');
    setApiKey(response, identity);
    next();
  };
}

/** The token of `Authorization: Bearer <token>`, the scheme in any case; null for anything else. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** The error of a refused credential; tells the scheme as RFC 6750 (section 3) wants it, and nothing of the reason. */
export function unauthorized(response: Response, authorization: string | undefined, message: string): ServiceError {
  response.set('WWW-Authenticate', authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
  return new ServiceError('UNAUTHORIZED', message);
}
