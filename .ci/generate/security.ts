import type { ZodOpenApiSecuritySchemeObject } from 'zod-openapi';
import type { SignatureDeclaration } from '../../adapters/contract/settings.ts';
import { declarations } from '../../adapters/settings.ts';
import type { Credential } from '../../src/app/route.ts';
import { PROCESSORS } from '../../src/core/processor.ts';

const API_KEY = 'bearerAuth';
const SESSION = 'session';
const EMBED_TOKEN = 'embedBearerAuth';
const PORTAL_SESSION = 'portalSession';

/** How each processor signs what it delivers, as its adapter declares it. */
export const SIGNATURES: Readonly<Record<string, SignatureDeclaration>> = Object.fromEntries(
  PROCESSORS.map((processor) => [processor, declarations[processor].signature]),
);

export const SECURITY_SCHEMES: Record<string, ZodOpenApiSecuritySchemeObject> = {
  [API_KEY]: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'rb_live_…',
    description:
      'An API key of one account, with the scope `track`, `read` or `full`. Keep it on your servers, never in a page or an app.',
  },
  [SESSION]: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-refbridge_session',
    description:
      'The session of an operator, from `POST /api/session`; on plain http the cookie is `refbridge_session`. A change ' +
      'must come from a page of the service itself (`Origin` or `Sec-Fetch-Site`). The role of the operator decides what it may do.',
  },
  [PORTAL_SESSION]: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-refbridge_portal',
    description:
      'The session of a partner, from `POST /api/embed/session`; on plain http the cookie is `refbridge_portal`.',
  },
  [EMBED_TOKEN]: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'rb_embed_…',
    description:
      'A short-lived token for the portal of one partner, from `POST /api/embed/token`. It reads what the portal shows, and may change how ' +
      'this partner is paid.',
  },
  ...Object.fromEntries(
    Object.entries(SIGNATURES).map(([processor, { header, name, description }]) => [
      signatureScheme(processor),
      { type: 'apiKey', in: 'header', name: header, description: `${name}: ${description}` },
    ]),
  ),
};

/** The alternatives, one of which a request must satisfy. */
export function securityOf(credential: Credential): Record<string, string[]>[] {
  switch (credential) {
    case 'api-key':
      return [{ [API_KEY]: [] }, { [SESSION]: [] }];
    case 'api-key-only':
      return [{ [API_KEY]: [] }];
    case 'session':
      return [{ [SESSION]: [] }];
    case 'embed-token':
      return [{ [EMBED_TOKEN]: [] }, { [PORTAL_SESSION]: [] }];
    case 'signature':
      return Object.keys(SIGNATURES).map((processor) => ({ [signatureScheme(processor)]: [] }));
    case 'public':
      return [];
  }
}

function signatureScheme(processor: string): string {
  return `${processor}Signature`;
}
