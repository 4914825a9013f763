import type { RequestHandler, Response } from 'express';
import { ServiceError } from '../errors.ts';

/** How long a browser may remember a preflight. */
const PREFLIGHT_SECONDS = 600;

/** Lets a page of exactly this origin read the answer. No credentials: tokens travel in a header, never in a cookie. */
export function allowOrigin(response: Response, origin: string): void {
  response.set('Access-Control-Allow-Origin', origin);
}

/** An answer that differs by origin must not be given to another one out of a cache. */
export function varyByOrigin(response: Response): void {
  response.vary('Origin');
}

/** The error of a page that may not read this. */
export function originNotAllowed(origin: string): ServiceError {
  return new ServiceError('ORIGIN_NOT_ALLOWED', `${JSON.stringify(origin)} is not among the program's allowedOrigins`);
}

/**
 * Answers a preflight, which carries no token: yes to every origin that `isAllowed` knows, for `methods` with a bearer.
 *
 * @throws ServiceError `ORIGIN_NOT_ALLOWED`
 */
export function preflight(methods: readonly string[], isAllowed: (origin: string) => Promise<boolean>): RequestHandler {
  return async (request, response) => {
    varyByOrigin(response);
    response.set('Allow', [...methods, 'OPTIONS'].join(', '));
    const { origin } = request.headers;
    if (origin !== undefined) {
      if (!(await isAllowed(origin))) throw originNotAllowed(origin);
      allowOrigin(response, origin);
      response.set('Access-Control-Allow-Methods', methods.join(', '));
      response.set('Access-Control-Allow-Headers', 'Authorization');
      response.set('Access-Control-Max-Age', String(PREFLIGHT_SECONDS));
    }
    response.status(204).end();
  };
}
