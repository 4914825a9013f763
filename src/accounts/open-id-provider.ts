import type { Configuration } from 'openid-client';
import type { OpenIdSettings } from '../app/open-id-settings.ts';
import { withoutAddresses } from '../core/without-addresses.ts';
import { excerpt } from '../errors.ts';
import type { SignInProblem } from './single-sign-on-problems.ts';

const TIMEOUT_SECONDS = 5;
/** Limited because a provider may move its endpoints. */
const DISCOVERY_MAX_AGE_MS = 3_600_000;
const SCOPE = 'openid email';

/** The secrets of one attempt. They stay in the browser that started it. */
export interface AttemptSecrets {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** What the provider states about the person. */
export interface OpenIdClaims {
  issuer: string;
  subject: string;
  email: string | null;
  /** True only when the provider states it. */
  isEmailVerified: boolean;
}

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

export interface OpenIdProvider {
  /** Where to send the browser. @throws OpenIdFailure */
  authorizationUrl(redirectUri: string, secrets: AttemptSecrets): Promise<string>;
  /**
   * Exchanges the code of the callback for a signed ID token, and checks its signature, issuer, audience, times and
   * nonce.
   *
   * @param callback the URL to which the provider sent the browser
   * @throws OpenIdFailure
   */
  claimsOf(callback: URL, secrets: AttemptSecrets): Promise<OpenIdClaims>;
}

/**
 * Loads the package and fetches the provider's metadata on first use, then caches them for an hour for the addresses that
 * browsers are sent to.
 */
export function createOpenIdProvider(settings: OpenIdSettings, clock: () => number): OpenIdProvider {
  let known: { configuration: Promise<Configuration>; foundAt: number } | null = null;
  const configurationOf = (): Promise<Configuration> => {
    if (known !== null && isRecent(clock() - known.foundAt)) return known.configuration;
    const found = { configuration: discoverProvider(settings), foundAt: clock() };
    known = found;
    found.configuration.catch(() => {
      if (known === found) known = null;
    });
    return found.configuration;
  };
  return {
    async authorizationUrl(redirectUri, { state, nonce, codeVerifier }) {
      const configuration = await configurationOf();
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
      return buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }).href;
    },
    async claimsOf(callback, { state, nonce, codeVerifier }) {
      // for each sign-in: the package keeps the keys with it, and does not fetch them again within a minute, in which the
      // provider may have begun to sign with another one
      const configuration = await discoverProvider(settings);
      try {
        return await readClaims(configuration, callback, { state, nonce, codeVerifier });
      } catch (error) {
        throw asFailure(error);
      }
    },
  };
}

/** A negative age belongs to a clock that was ahead. */
function isRecent(ageMs: number): boolean {
  return ageMs >= 0 && ageMs < DISCOVERY_MAX_AGE_MS;
}

/**
 * Fetches the provider's metadata.
 *
 * @throws OpenIdFailure when the provider does not answer, or describes another issuer
 */
export async function discoverProvider(settings: OpenIdSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  const client = await import('openid-client');
  const basic = client.ClientSecretBasic(clientSecret);
  const post = client.ClientSecretPost(clientSecret);
  const authenticate: typeof basic = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    return (methods.includes('client_secret_post') ? post : basic)(server, ...rest);
  };
  // without this, the package trusts the connection instead of checking the token's signature
  const execute = [client.enableNonRepudiationChecks];
  // the settings accept a URL without TLS only for this machine
  if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests);
  try {
    const options = { execute, timeout: TIMEOUT_SECONDS };
    return await client.discovery(new URL(issuer), clientId, undefined, authenticate, options);
  } catch (error) {
    throw asFailure(error);
  }
}

async function readClaims(
  configuration: Configuration,
  callback: URL,
  { state, nonce, codeVerifier }: AttemptSecrets,
): Promise<OpenIdClaims> {
  const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
  const tokens = await authorizationCodeGrant(configuration, callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new OpenIdFailure('invalid', 'the provider sent no ID token');
  const { iss: issuer, sub: subject } = claims;
  // everybody without one would be the same person
  if (subject.trim() === '') throw new OpenIdFailure('invalid', 'the provider sent an ID token with an empty subject');
  const isComplete =
    (claims.email !== undefined && claims.email_verified !== undefined) ||
    configuration.serverMetadata().userinfo_endpoint === undefined;
  // some providers return the e-mail address, or that it is verified, only there
  const { email, email_verified } = isComplete
    ? claims
    : await fetchUserInfo(configuration, tokens.access_token, subject);
  return {
    issuer,
    subject,
    email: typeof email === 'string' ? email.trim().toLowerCase() : null,
    isEmailVerified: email_verified === true,
  };
}

/** Errors of the package contain tokens in their causes, so only their messages are kept, which may name the person. */
function asFailure(error: unknown): OpenIdFailure {
  if (error instanceof OpenIdFailure) return error;
  const members = error instanceof Error ? ({ ...error } as Record<string, unknown>) : {};
  const { code, error: answered, error_description: description } = members;
  const words = [
    error instanceof Error ? error.message : 'unknown error',
    code,
    answered,
    description,
    networkOf(error),
  ];
  const message = words.filter((word) => typeof word === 'string' && word !== '').join(': ');
  return new OpenIdFailure(problemOf(String(code ?? ''), answered), excerpt(withoutAddresses(message)));
}

function problemOf(code: string, answered: unknown): SignInProblem {
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
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return 'clock';
    case '':
    case 'OAUTH_TIMEOUT':
    case 'OAUTH_ABORT':
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
      return 'provider_unavailable';
    default:
      return 'invalid';
  }
}

/** The reason of a failed connection, such as `ECONNREFUSED`. */
function networkOf(error: unknown): string | undefined {
  const cause = error instanceof TypeError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
}
