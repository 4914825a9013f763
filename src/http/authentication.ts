import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiKeyHash, findApiKeyIdentity, knownApiKeyId } from '../accounts/api-keys.ts';
import { tokenInCookies } from '../app/cookies.ts';
import type { EmbedSession } from '../app/embed-session.ts';
import { type Callers, type Credential, type KeyCaller, neededScope, type Route } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import { findEmbedSession } from '../programs/embed-tokens.ts';
import { findPortalSession } from '../programs/portal-links.ts';
import type { LimitPartner } from './partner-limit.ts';
import type { RequestLimiter } from './rate-limit.ts';
import { requireOwnPage } from './same-origin.ts';

export type Authenticate<C extends Credential> = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<Callers[C]>;

/**
 * Accepts a request with an active API key, and counts it.
 *
 * @throws ServiceError `UNAUTHORIZED`, the same for a missing, malformed, unknown or revoked key; `RATE_LIMIT_EXCEEDED`
 */
export function apiKeyAuthentication(service: Service, limiter: RequestLimiter): Authenticate<'api-key-only'> {
  return async (request, response) => {
    const { authorization } = request.headers;
    const token = bearerToken(authorization);
    const hash = token === null ? null : apiKeyHash(token);
    // counts while the key is looked up, which takes as long; for a revoked key the count is wasted
    const knownId = hash === null ? undefined : knownApiKeyId(service, hash);
    const counted = knownId && limiter.count(knownId);
    const identity = hash === null ? null : await findApiKeyIdentity(service, hash);
    if (identity === null) throw new ServiceError('UNAUTHORIZED', 'Invalid or missing API key');
    limiter.limit(identity, await (counted ?? limiter.count(identity.keyId)), response);
    const { accountId, keyId: id, name, scope } = identity;
    return { accountId, actor: { kind: 'api_key', id, name }, scope };
  };
}

/**
 * Accepts a request with an embed token that has not expired, or without one, with the session of a partner who opened a
 * portal link.
 *
 * @throws ServiceError `UNAUTHORIZED`; `FORBIDDEN` for a change with a session that does not come from a page of this service;
 *   `RATE_LIMIT_EXCEEDED`
 */
export function embedTokenAuthentication(service: Service, limitPartner: LimitPartner): Authenticate<'embed-token'> {
  return async (request, response): Promise<EmbedSession> => {
    const { authorization, cookie } = request.headers;
    const token = bearerToken(authorization);
    const sessionToken = authorization === undefined ? tokenInCookies('portal', service.baseUrl, cookie) : null;
    if (sessionToken !== null) requireOwnPage(request, service.baseUrl);
    const session =
      sessionToken !== null
        ? await findPortalSession(service, sessionToken)
        : token !== null && (await findEmbedSession(service, token));
    if (!session) throw new ServiceError('UNAUTHORIZED', 'Invalid or missing embed token');
    await limitPartner(session, request, response);
    return session;
  };
}

/** @throws ServiceError `FORBIDDEN` when the route needs a scope that the API key lacks */
export function requireScope(route: Route, { scope }: Pick<KeyCaller, 'scope'>): void {
  const needed = neededScope(route);
  if (scope === 'full' || scope === needed) return;
  const allowed = needed === 'full' ? '"full"' : `"${needed}" or "full"`;
  const call = `${route.method} ${route.path}`;
  const message = `This API key has the scope "${scope}"; ${call} needs a key with ${allowed}`;
  throw new ServiceError('FORBIDDEN', message, { neededScope: needed });
}

/** The token of `Authorization: Bearer <token>`, with the scheme in any case; null for anything else. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}
