import type { IncomingMessage, ServerResponse } from 'node:http';
import { findActiveSession, SESSION_LIFETIME_MS } from '../accounts/sessions.ts';
import { cookieFor, tokenInCookies } from '../app/cookies.ts';
import type { Callers, OperatorCaller, Route } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { hasRole, type OperatorRole } from '../core/operator.ts';
import { ServiceError } from '../errors.ts';
import type { Authenticate } from './authentication.ts';
import { limitLargeBodies } from './large-body-limit.ts';
import { type RequestCounter, requireWithin } from './rate-limit.ts';
import { requireOwnPage } from './same-origin.ts';

/** A page requests a dozen lists at once, but nobody opens ten pages a second. */
const REQUESTS_MAX = 600;

type AuthenticateRoute<Caller> = (route: Route, request: IncomingMessage, response: ServerResponse) => Promise<Caller>;

/**
 * The operator whose session the request carries; null without a session cookie.
 *
 * @throws ServiceError `UNAUTHORIZED` for a session that has ended; `RATE_LIMIT_EXCEEDED`; `FORBIDDEN` for a change that
 *   does not come from a page of this service, or that the role does not include
 */
function sessionAuthentication(service: Service, counter: RequestCounter): AuthenticateRoute<OperatorCaller | null> {
  const { baseUrl } = service;
  return async (route, request, response) => {
    const token = tokenInCookies('session', baseUrl, request.headers.cookie);
    if (token === null) return null;
    const session = await findActiveSession(service, token);
    if (session === null) throw new ServiceError('UNAUTHORIZED', 'The session has ended; sign in again');
    const { caller, isExtended } = session;
    if (isExtended) response.appendHeader('Set-Cookie', cookieFor('session', baseUrl, token, SESSION_LIFETIME_MS));
    await requireWithin(counter, { key: caller.sessionId, limit: REQUESTS_MAX, who: 'in this session' }, response);
    requireOwnPage(request, baseUrl);
    requireRole(route, caller.role);
    return caller;
  };
}

/**
 * For routes that accept a key, or a session in its place. A request with a key never counts as the browser's session.
 *
 * @throws ServiceError `RATE_LIMIT_EXCEEDED` for too many large bodies, and as `apiKeyAuthentication` and `sessionAuthentication`
 */
export function accountAuthentication(
  service: Service,
  counter: RequestCounter,
  authenticateKey: Authenticate<'api-key-only'>,
): AuthenticateRoute<Callers['api-key']> {
  const authenticateSession = sessionAuthentication(service, counter);
  const limitLarge = limitLargeBodies(counter);
  return async (route, request, response) => {
    const session =
      request.headers.authorization === undefined ? await authenticateSession(route, request, response) : null;
    const caller = session ?? (await authenticateKey(request, response));
    if (route.largeBody) await limitLarge(caller, request, response);
    return caller;
  };
}

/**
 * For routes that only people may use.
 *
 * @throws ServiceError `FORBIDDEN` for an API key, and as `sessionAuthentication`
 */
export function operatorAuthentication(
  service: Service,
  counter: RequestCounter,
  authenticateKey: Authenticate<'api-key-only'>,
): AuthenticateRoute<OperatorCaller> {
  const authenticateSession = sessionAuthentication(service, counter);
  return async (route, request, response) => {
    if (request.headers.authorization !== undefined) {
      await authenticateKey(request, response);
      throw new ServiceError(
        'FORBIDDEN',
        'API keys cannot do this: it needs a signed-in operator. Run `refbridge login-link` for a sign-in address',
      );
    }
    const session = await authenticateSession(route, request, response);
    if (session === null) throw new ServiceError('UNAUTHORIZED', 'Sign in first: this needs a session');
    return session;
  };
}

function requireRole({ role, method }: Route, actual: OperatorRole): void {
  const needed = role ?? (method === 'GET' ? 'viewer' : 'member');
  if (hasRole(actual, needed)) return;
  throw new ServiceError(
    'FORBIDDEN',
    `Your role is ${actual}; this needs the role ${needed}, which an owner can give you`,
  );
}
