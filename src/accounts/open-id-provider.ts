import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client';
import type { OpenIdSettings } from '../app/open-id-settings.ts';
import { asFailure, isRefusedClient, OpenIdFailure } from './open-id-failure.ts';
import { fetchLimited } from './open-id-fetch.ts';

const TIMEOUT_SECONDS = 5;
/** Limited because a provider may move its endpoints. */
const DISCOVERY_MAX_AGE_MS = 3_600_000;
const SCOPE = 'openid email';
/** How this service can send its secret; the first one that the provider offers is tried first. */
const METHODS = ['client_secret_post', 'client_secret_basic'] as const;
/** What a provider that does not say is sent first (OpenID Connect Discovery 1.0, 3), and what it may accept as well. */
const METHODS_UNSAID: readonly Method[] = ['client_secret_basic', 'client_secret_post'];

/** What a provider describes that signs people in; some issuers of tokens only publish their keys. */
const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

type Method = (typeof METHODS)[number];

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
  let known: { provider: Promise<FoundProvider>; foundAt: number } | null = null;
  let accepted: Method | null = null;
  const providerOf = (): Promise<FoundProvider> => {
    if (known !== null && isRecent(clock() - known.foundAt)) return known.provider;
    const found = { provider: discoverProvider(settings), foundAt: clock() };
    known = found;
    found.provider.catch(() => {
      if (known === found) known = null;
    });
    return found.provider;
  };
  return {
    async authorizationUrl(redirectUri, { state, nonce, codeVerifier }) {
      const { configuration } = await providerOf();
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
    async claimsOf(callback, secrets) {
      // for each sign-in: the package keeps the keys with it, and does not fetch them again within a minute, in which the
      // provider may have begun to sign with another one
      const provider = await discoverProvider(settings, accepted);
      try {
        return await readClaims(provider, callback, secrets);
      } catch (error) {
        throw asFailure(error);
      } finally {
        // also after a failure: some providers accept no code twice, and the next sign-in begins with the other way
        accepted = provider.methods[0] ?? null;
      }
    },
  };
}

/** A negative age belongs to a clock that was ahead. */
function isRecent(ageMs: number): boolean {
  return ageMs >= 0 && ageMs < DISCOVERY_MAX_AGE_MS;
}

/** A provider that has described itself. */
interface FoundProvider {
  configuration: Configuration;
  /** How the provider takes the secret, as far as this service can; requests use the first one. Never empty. */
  methods: Method[];
}

/**
 * Fetches the provider's metadata.
 *
 * @param accepted how the provider took the secret before
 * @throws OpenIdFailure when the provider does not answer, describes another issuer, or cannot be used by this service
 */
export async function discoverProvider(
  settings: OpenIdSettings,
  accepted: Method | null = null,
): Promise<FoundProvider> {
  const { issuer, clientId, clientSecret } = settings;
  const client = await import('openid-client');
  const ways: Record<Method, ClientAuth> = {
    client_secret_post: client.ClientSecretPost(clientSecret),
    client_secret_basic: client.ClientSecretBasic(clientSecret),
  };
  const methods: Method[] = [];
  const authenticate: ClientAuth = (...request) => ways[methods[0] ?? 'client_secret_basic'](...request);
  // without this, the package trusts the connection instead of checking the token's signature
  const execute = [client.enableNonRepudiationChecks];
  // the settings accept a URL without TLS only for this machine
  if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests);
  try {
    const options = { execute, timeout: TIMEOUT_SECONDS, [client.customFetch]: fetchLimited };
    const configuration = await client.discovery(new URL(issuer), clientId, undefined, authenticate, options);
    methods.push(...usableMethods(configuration.serverMetadata(), accepted));
    return { configuration, methods };
  } catch (error) {
    throw asFailure(error);
  }
}

/** How the provider may take the secret, the most promising way first. @throws OpenIdFailure */
function usableMethods(metadata: ServerMetadata, accepted: Method | null): Method[] {
  for (const name of NEEDED) {
    if (metadata[name] === undefined) throw new OpenIdFailure('settings', `the provider describes no ${name}`);
  }
  const offered = metadata.token_endpoint_auth_methods_supported;
  const saysNothing = !Array.isArray(offered) || offered.length === 0;
  const usable = saysNothing ? METHODS_UNSAID : METHODS.filter((method) => offered.includes(method));
  if (usable.length > 0) return usable.toSorted((a, b) => Number(b === accepted) - Number(a === accepted));
  const reason = `the provider takes secrets by ${offered?.join(', ')} only, this service sends them by ${METHODS.join(', ')}`;
  throw new OpenIdFailure('settings', reason);
}

/** Exchanges the code. A provider may offer several ways to send the secret, and accept one from this client. */
async function exchange({ configuration, methods }: FoundProvider, callback: URL, secrets: AttemptSecrets) {
  const { authorizationCodeGrant } = await import('openid-client');
  const { state, nonce, codeVerifier } = secrets;
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true };
  try {
    return await authorizationCodeGrant(configuration, callback, checks);
  } catch (error) {
    if (!isRefusedClient(error) || methods.length === 1) throw error;
    methods.reverse();
    return await authorizationCodeGrant(configuration, callback, checks);
  }
}

async function readClaims(provider: FoundProvider, callback: URL, secrets: AttemptSecrets): Promise<OpenIdClaims> {
  const { configuration } = provider;
  const tokens = await exchange(provider, callback, secrets);
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
    : await (await import('openid-client')).fetchUserInfo(configuration, tokens.access_token, subject);
  return {
    issuer,
    subject,
    email: typeof email === 'string' ? email.trim().toLowerCase() : null,
    isEmailVerified: email_verified === true,
  };
}
