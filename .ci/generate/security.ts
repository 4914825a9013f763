import type { ZodOpenApiSecuritySchemeObject } from 'zod-openapi';
import type { SignatureDeclaration } from '../../adapters/contract/settings.ts';
import { declarations } from '../../adapters/settings.ts';
import type { Credential } from '../../src/app/route.ts';
import { PROCESSORS } from '../../src/core/processor.ts';

const API_KEY = 'bearerAuth';
const EMBED_TOKEN = 'embedBearerAuth';

/** How each processor signs what it delivers, as its adapter declares it. */
export const SIGNATURES: Readonly<Record<string, SignatureDeclaration>> = Object.fromEntries(
  PROCESSORS.map((processor) => [processor, declarations[processor].signature]),
);

export const SECURITY_SCHEMES: Record<string, ZodOpenApiSecuritySchemeObject> = {
  [API_KEY]: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'rb_live_…',
    description: 'An API key: full access to one account. Keep it on your servers, never in a page or an app.',
  },
  [EMBED_TOKEN]: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'rb_embed_…',
    description: 'A short-lived token for the portal of one partner, from `POST /api/embed/token`. It only reads.',
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
      return [{ [API_KEY]: [] }];
    case 'embed-token':
      return [{ [EMBED_TOKEN]: [] }];
    case 'signature':
      return Object.keys(SIGNATURES).map((processor) => ({ [signatureScheme(processor)]: [] }));
    case 'public':
      return [];
  }
}

function signatureScheme(processor: string): string {
  return `${processor}Signature`;
}
