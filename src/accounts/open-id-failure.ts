import { withoutAddresses } from '../core/without-addresses.ts';
import { excerpt, firstCauseOf } from '../errors.ts';
import type { SignInProblem } from './single-sign-on-problems.ts';

/** Request Timeout, Too Early, Too Many Requests. */
const FOR_NOW: readonly number[] = [408, 425, 429];

/**
 * Signing in failed at the provider, or because of its response. The message is for the log and contains no token and no
 * e-mail address.
 */
export class OpenIdFailure extends Error {
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem, message: string) {
    super(message);
    this.name = 'OpenIdFailure';
    this.problem = problem;
  }
}

/** Errors of the package contain tokens in their causes, so only their messages are kept, which may name the person. */
export function asFailure(error: unknown): OpenIdFailure {
  const first = firstCauseOf(error);
  if (first instanceof OpenIdFailure) return first;
  const { code, error: answered, error_description: description } = membersOf(error);
  const words = [
    error instanceof Error ? error.message : 'unknown error',
    code,
    answered,
    description,
    detailOf(error, code),
  ];
  const message = words.filter((word) => typeof word === 'string' && word !== '').join(': ');
  return new OpenIdFailure(problemOf(error, String(code ?? ''), answered), excerpt(withoutAddresses(message)));
}

/**
 * Whether the token endpoint refused the credentials of this service, or the way in which they were sent. The address that
 * a browser returns to may name the same error, and anybody can make one up.
 */
export function isRefusedClient(error: unknown): boolean {
  const { code, error: answered } = membersOf(error);
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') return true;
  return code === 'OAUTH_RESPONSE_BODY_ERROR' && answered === 'invalid_client';
}

function membersOf(error: unknown): Record<string, unknown> {
  return error instanceof Error ? { ...error } : {};
}

function problemOf(error: unknown, code: string, answered: unknown): SignInProblem {
  switch (code) {
    case 'OAUTH_AUTHORIZATION_RESPONSE_ERROR':
      if (answered === 'access_denied') return 'denied';
      return answered === 'server_error' || answered === 'temporarily_unavailable'
        ? 'provider_unavailable'
        : 'settings';
    case 'OAUTH_RESPONSE_BODY_ERROR':
      return answered === 'invalid_grant' ? 'expired' : 'settings';
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return 'settings';
    case 'OAUTH_UNSUPPORTED_OPERATION':
      // no setting makes a provider sign nothing
      return algorithmOf(error) === 'none' ? 'invalid' : 'settings';
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return 'clock';
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM': {
      // nothing is at this address, and waiting does not help
      const status = statusOf(error) ?? 0;
      return status >= 400 && status < 500 && !FOR_NOW.includes(status) ? 'settings' : 'provider_unavailable';
    }
    case '':
    case 'OAUTH_TIMEOUT':
    case 'OAUTH_ABORT':
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
      return 'provider_unavailable';
    default:
      return 'invalid';
  }
}

/** What the cause adds to the message: never the cause itself. */
function detailOf(error: unknown, code: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const status = statusOf(error);
  if (status !== null) return `HTTP status ${status}`;
  // the reason of a failed connection, such as `ECONNREFUSED`
  if (error instanceof TypeError) return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  // the package's own words, such as `unsupported JWS algorithm`
  if (cause instanceof Error)
    return code === undefined ? undefined : `${cause.message} ${algorithmOf(error)}`.trimEnd();
  return isOtherIssuer(cause) ? `it calls itself ${cause.body.issuer}` : undefined;
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && error.cause instanceof Response ? error.cause.status : null;
}

/** How a token is signed that the package cannot check; empty when it fails for another reason. */
function algorithmOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.cause : undefined;
  const { alg } = (cause ?? {}) as { alg?: unknown };
  return typeof alg === 'string' ? alg : '';
}

/** What the package says about metadata of another issuer than the expected one. */
function isOtherIssuer(cause: unknown): cause is { body: { issuer: string } } {
  const { attribute, body } = (cause ?? {}) as { attribute?: unknown; body?: { issuer?: unknown } };
  return attribute === 'issuer' && typeof body?.issuer === 'string';
}
