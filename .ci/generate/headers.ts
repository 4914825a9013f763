import type { Route } from '../../src/app/route.ts';
import type { ErrorCode } from '../../src/errors.ts';

interface HeaderDescription {
  description: string;
  schema: { type: 'string' | 'integer'; format?: string };
  example: string | number;
}

/** Response headers that matter to a caller, as components of the document. */
export const HEADERS = {
  RateLimit: {
    description: 'What is left of the limit: `r` requests for the next `t` seconds.',
    schema: { type: 'string' },
    example: '"minute";r=598;t=42',
  },
  'RateLimit-Policy': {
    description: 'The limit: `q` requests in `w` seconds.',
    schema: { type: 'string' },
    example: '"minute";q=600;w=60',
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer' },
    example: 17,
  },
  'WWW-Authenticate': {
    description:
      'The scheme of the credential that is missing or invalid: `Bearer`, with `error="invalid_token"` if the request has a ' +
      'bearer token; `Cookie` for a session; `Signature` for a webhook. A 403 has it if the API key lacks a scope.',
    schema: { type: 'string' },
    example: 'Bearer realm="Refbridge", error="insufficient_scope", scope="full"',
  },
  'X-Request-Id': {
    description:
      'Identifies this request in the log of the service. Taken from the request if it sends one of at most 128 letters, ' +
      'digits and `. _ -`.',
    schema: { type: 'string' },
    example: '8d1f0a5e-6f0b-4a53-9d27-3b8c5e1f7a90',
  },
  Location: {
    description: 'Where the client is sent.',
    schema: { type: 'string', format: 'uri' },
    example: 'https://shop.example.com/?svc_id=clk_0199c3a07e10Zq2mVb8Kx4Tn1WsYc3D',
  },
  'X-Refbridge-Click': {
    description: 'Only when no click was recorded: `reason` is `bot`, `prefetch`, `head`, `rate` or `lost`.',
    schema: { type: 'string' },
    example: 'none; reason=bot',
  },
} as const satisfies Record<string, HeaderDescription>;

/** Credentials whose requests are counted. */
const LIMITED = new Set(['api-key', 'api-key-only', 'session', 'embed-token']);

export type HeaderName = keyof typeof HEADERS;

/** The headers of a route's error responses with this status and these codes. */
export function headersOf(
  route: Route,
  status: number,
  codes: readonly ErrorCode[] = [],
): Record<string, { $ref: string }> {
  const isLimited = LIMITED.has(route.credential) || route.limitByAddress === true;
  const names: HeaderName[] = isLimited && isCounted(status) ? ['RateLimit', 'RateLimit-Policy'] : [];
  if (status === 401 || (takesKey(route) && codes.includes('FORBIDDEN'))) names.push('WWW-Authenticate');
  if (codes.includes('RATE_LIMIT_EXCEEDED') || codes.includes('UNAVAILABLE')) names.push('Retry-After');
  if (route.path.startsWith('/api/') || codes.includes('INTERNAL_ERROR')) names.push('X-Request-Id');
  if (status >= 301 && status <= 308 && status !== 304) {
    names.push('Location', ...(route.operationId === 'followLink' ? (['X-Refbridge-Click'] as const) : []));
  }
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Every key may lack the scope. */
function takesKey({ credential }: Route): boolean {
  return credential === 'api-key' || credential === 'api-key-only';
}

/** A refused credential and an incomplete request are answered before the rate limit counts them. */
function isCounted(status: number): boolean {
  return status !== 401 && status !== 408;
}
