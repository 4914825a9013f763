import type { Route } from '../app/route.ts';
import type { ServiceError } from '../errors.ts';

const BEARER = 'Bearer realm="Refbridge"';

/**
 * The `WWW-Authenticate` of an error of this route; null without one. Every 401 has one (RFC 9110, 11.6.1). An error code
 * is only for a request with a bearer token, and a 403 has a challenge only if another key could do it (RFC 6750, 3).
 */
export function challengeOf(
  route: Route,
  { status, neededScope }: ServiceError,
  authorization: string | undefined,
): string | null {
  if (neededScope !== undefined) return `${BEARER}, error="insufficient_scope", scope="${neededScope}"`;
  if (status !== 401) return null;
  if (!takesBearerToken(route)) return route.credential === 'signature' ? 'Signature' : 'Cookie';
  return bearerChallenge(hasBearerToken(authorization));
}

export function bearerChallenge(hasToken: boolean): string {
  return hasToken ? `${BEARER}, error="invalid_token"` : BEARER;
}

/** False for routes that sign in, too: what they check is in the body. */
function takesBearerToken({ credential, attemptedName }: Route): boolean {
  switch (credential) {
    case 'session':
    case 'signature':
      return false;
    case 'public':
      return attemptedName === undefined;
    default:
      return true;
  }
}

/** True also for a malformed token. */
function hasBearerToken(authorization: string | undefined): boolean {
  return /^bearer(?: |$)/i.test(authorization ?? '');
}
