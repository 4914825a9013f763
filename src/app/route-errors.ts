import { ERROR_STATUS, type ErrorCode } from '../errors.ts';
import type { Route } from './route.ts';

/** The errors that the server may answer before it finds or runs a route. */
export const ERRORS_OF_EVERY_REQUEST: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
];

/** Every error code that a caller of the route may get, sorted by status: the declared ones and the implied ones. */
export function errorsOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>([...(route.errors ?? []), ...impliedErrors(route)]);
  return [...codes].sort().sort((a, b) => ERROR_STATUS[a] - ERROR_STATUS[b]);
}

function impliedErrors(route: Route): ErrorCode[] {
  const hasJson = route.patch !== undefined || (route.body !== undefined && !route.rawBody);
  const hasBody = hasJson || route.rawBody === true;
  const isChecked = hasJson || route.query !== undefined || route.unknownMembers !== 'ignore';
  return [
    ...credentialErrors(route),
    ...codesIf(isOriginChecked(route), 'FORBIDDEN'),
    ...codesIf(route.attemptedName !== undefined, 'UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'),
    ...codesIf(isChecked, 'VALIDATION_ERROR'),
    ...codesIf(route.cors === 'portal', 'ORIGIN_NOT_ALLOWED'),
    ...codesIf(route.limitByAddress === true, 'RATE_LIMIT_EXCEEDED'),
    ...codesIf(hasBody, 'PAYLOAD_TOO_LARGE', 'REQUEST_TIMEOUT', 'UNSUPPORTED_MEDIA_TYPE'),
    'INTERNAL_ERROR',
    ...databaseErrors(route, hasBody),
  ];
}

/** A public route without a body does not touch the database unless it declares `UNAVAILABLE`; a GET only reads. */
function databaseErrors({ credential, errors, method, action }: Route, hasBody: boolean): ErrorCode[] {
  if (credential === 'public' && !hasBody && errors?.includes('UNAVAILABLE') !== true) return [];
  return ['UNAVAILABLE', ...codesIf(method !== 'GET' || action !== undefined, 'OUTCOME_UNKNOWN')];
}

function credentialErrors({ credential }: Route): ErrorCode[] {
  switch (credential) {
    case 'api-key':
    case 'api-key-only':
    case 'session':
      return ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED'];
    case 'embed-token':
      return ['UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'];
    case 'signature':
      return ['INVALID_SIGNATURE'];
    case 'public':
      return [];
  }
}

/** True when a request may come from a page of another origin, which must be refused. */
function isOriginChecked({ credential, method, sameOrigin }: Route): boolean {
  return sameOrigin === true || (credential === 'embed-token' && method !== 'GET');
}

function codesIf(condition: boolean, ...codes: ErrorCode[]): ErrorCode[] {
  return condition ? codes : [];
}
