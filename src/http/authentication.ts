import type { IncomingMessage, ServerResponse } from 'node:http';
import { findApiKeyIdentity } from '../accounts/api-keys.ts';
import type { Callers, Credential } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import { type EmbedSession, findEmbedSession } from '../programs/embed-tokens.ts';
import type { LimitRequests } from './rate-limit.ts';

export type Authenticate<C extends Credential> = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<Callers[C]>;

/**
 * Accepts a request with an active API key, and counts it.
 *
 * @throws ServiceError `UNAUTHORIZED`, the same for a missing, malformed, unknown or revoked key; `RATE_LIMIT_EXCEEDED`
 */
export function apiKeyAuthentication(service: Service, limitRequests: LimitRequests): Authenticate<'api-key'> {
  return async (request, response) => {
    const { authorization } = request.headers;
    const token = bearerToken(authorization);
    const identity = token === null ? null : await findApiKeyIdentity(service, token);
    if (identity === null) throw new ServiceError('UNAUTHORIZED', 'Invalid or missing API key');
    await limitRequests(identity, response);
    return { accountId: identity.accountId, actor: { kind: 'api_key', id: identity.keyId } };
  };
}

/**
 * Accepts a request with an embed token that has not expired.
 *
 * @throws ServiceError `UNAUTHORIZED`
 */
export function embedTokenAuthentication(service: Service): Authenticate<'embed-token'> {
  return async ({ headers: { authorization } }): Promise<EmbedSession> => {
    const token = bearerToken(authorization);
    const session = token === null ? null : await findEmbedSession(service, token);
    if (session === null) throw new ServiceError('UNAUTHORIZED', 'Invalid or missing embed token');
    return session;
  };
}

/** The token of `Authorization: Bearer <token>`, with the scheme in any case; null for anything else. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}
