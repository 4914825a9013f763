import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from './listen-locally.ts';
import { declareStub } from './test-servers.ts';

const CLIENT_ID = 'refbridge-test';
const CLIENT_SECRET = 's:ecret/ with odd+characters';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });

type Algorithm = 'RS256' | 'ES256' | 'HS256' | 'none';

/** The person who is signed in at the provider. */
export interface Person {
  sub: string;
  email?: string;
  email_verified?: unknown;
}

/** The pair with which the provider signs, and the name under which it publishes the public half. */
interface SigningKey {
  kid: string;
  pair: { publicKey: KeyObject; privateKey: KeyObject };
}

/** What a provider signs with after it has changed its key. */
export const newSigningKey = (kid: string): SigningKey => ({
  kid,
  pair: generateKeyPairSync('rsa', { modulusLength: 2048 }),
});

/** The behavior of the provider; a test changes it to make the provider misbehave. */
export interface ProviderConduct {
  person: Person;
  algorithm: Algorithm;
  /** For RS256. */
  signingKey: SigningKey;
  /** Overrides of its metadata. */
  described: Record<string, unknown>;
  /** The only way to send the secret that it accepts from this client, whatever it describes. */
  secretBy: 'client_secret_basic' | 'client_secret_post';
  /** Ends a code also when it refuses the client. */
  endsCodesEarly: boolean;
  /** Signs with an unpublished key. */
  signsAsStranger: boolean;
  /** Overrides of the ID token's claims. */
  claims: Record<string, unknown>;
  /** Returns the address only from the userinfo endpoint. */
  emailOnlyInUserInfo: boolean;
  /** The error that the provider returns when somebody signs in. */
  refusal: string | null;
  /** Answers 500 to everything. */
  isDown: boolean;
  /** The path of an answer that never ends. */
  endlessPath: string | null;
}

/** An issued code, and what its exchange must prove. */
interface Grant {
  redirectUri: string;
  challenge: string;
  nonce: string | null;
}

export interface TestProvider {
  settings: { issuer: string; clientId: string; clientSecret: string };
  conduct: ProviderConduct;
  /** Restores normal behavior, for this person. */
  reset(person: Person): void;
  close(): Promise<void>;
}

/**
 * A real OpenID provider over http, whose only person consents to everything at once.
 *
 * @param host browsers treat `localhost` and 127.0.0.1 as different sites
 */
export async function startOpenIdProvider(host = '127.0.0.1'): Promise<TestProvider> {
  const conduct = wellBehaved({ sub: 'nobody' });
  const grants = new Map<string, Grant>();
  let issuer = '';
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      send(response, 500, { error: String(error) });
    });
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', issuer);
    if (conduct.isDown) return send(response, 500, {});
    if (conduct.endlessPath === url.pathname) return sendWithoutEnd(response);
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return send(response, 200, { ...descriptionOf(issuer), ...conduct.described });
      case '/keys':
        return send(response, 200, { keys: publicKeys(conduct) });
      case '/authorize':
        return response.writeHead(302, { Location: authorize(url.searchParams) }).end();
      case '/token':
        return exchange(request, response);
      case '/userinfo':
        return send(response, 200, conduct.person);
      default:
        return send(response, 404, {});
    }
  };
  const authorize = (query: URLSearchParams): string => {
    const callback = new URL(query.get('redirect_uri') ?? '');
    callback.searchParams.set('state', query.get('state') ?? '');
    callback.searchParams.set('iss', issuer);
    if (conduct.refusal !== null) {
      callback.searchParams.set('error', conduct.refusal);
      return callback.href;
    }
    if (query.get('code_challenge_method') !== 'S256' || query.get('client_id') !== CLIENT_ID)
      throw new Error('request');
    const code = randomUUID();
    grants.set(code, {
      redirectUri: query.get('redirect_uri') ?? '',
      challenge: query.get('code_challenge') ?? '',
      nonce: query.get('nonce'),
    });
    callback.searchParams.set('code', code);
    return callback.href;
  };
  const exchange = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await text(request));
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    if (!isOurClient(conduct, request.headers.authorization, form)) {
      if (conduct.endsCodesEarly) grants.delete(code);
      return send(response, 401, { error: 'invalid_client' });
    }
    // a code works once
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return send(response, 400, { error: 'invalid_grant' });
    }
    const token = idToken(conduct, { iss: issuer, nonce: grant.nonce });
    send(response, 200, { access_token: randomUUID(), token_type: 'Bearer', expires_in: 60, id_token: token });
  };
  issuer = (await listenLocally(server)).replace('127.0.0.1', host);
  declareStub(issuer);
  return {
    settings: { issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
    conduct,
    reset: (person) => void Object.assign(conduct, wellBehaved(person)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function wellBehaved(person: Person): ProviderConduct {
  return {
    person,
    algorithm: 'RS256',
    signingKey: { kid: 'RS256', pair: rsa },
    described: {},
    secretBy: 'client_secret_basic',
    endsCodesEarly: false,
    signsAsStranger: false,
    claims: {},
    emailOnlyInUserInfo: false,
    refusal: null,
    isDown: false,
    endlessPath: null,
  };
}

function descriptionOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    // a careless provider, which offers an algorithm that nobody may accept
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'none'],
    authorization_response_iss_parameter_supported: true,
  };
}

function publicKeys({ signingKey: { kid, pair } }: ProviderConduct) {
  const published = (key: KeyObject, alg: Algorithm) => ({ ...key.export({ format: 'jwk' }), alg, use: 'sig' });
  return [
    { ...published(pair.publicKey, 'RS256'), kid },
    { ...published(ec.publicKey, 'ES256'), kid: 'ES256' },
  ];
}

function idToken(
  { person, algorithm, signingKey, signsAsStranger, claims, emailOnlyInUserInfo }: ProviderConduct,
  { iss, nonce }: { iss: string; nonce: string | null },
): string {
  const now = Math.floor(Date.now() / 1000);
  const { sub, ...profile } = person;
  const known = { iss, sub, aud: CLIENT_ID, iat: now, exp: now + 60, nonce, ...(emailOnlyInUserInfo ? {} : profile) };
  const kid = algorithm === 'RS256' ? signingKey.kid : algorithm;
  const header = { alg: algorithm, ...(algorithm === 'none' ? {} : { kid }) };
  const content = [header, { ...known, ...claims }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  if (algorithm === 'none') return `${content}.`;
  if (algorithm === 'HS256')
    return `${content}.${createHmac('sha256', CLIENT_SECRET).update(content).digest('base64url')}`;
  const pair = signsAsStranger ? stranger : algorithm === 'RS256' ? signingKey.pair : ec;
  const signature = sign('sha256', Buffer.from(content), { key: pair.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

/** `client_secret_basic`: both parts are form-encoded first (RFC 6749, 2.3.1). */
function isOurClient({ secretBy }: ProviderConduct, authorization = '', form: URLSearchParams): boolean {
  if (secretBy === 'client_secret_post') {
    return form.get('client_id') === CLIENT_ID && form.get('client_secret') === CLIENT_SECRET;
  }
  const [id, secret] = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':');
  const decoded = [id, secret].map((part = '') => decodeURIComponent(part.replaceAll('+', ' ')));
  return decoded[0] === CLIENT_ID && decoded[1] === CLIENT_SECRET;
}

/** Until the client closes the connection. */
function sendWithoutEnd(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.write('{"issuer":"');
  const piece = 'x'.repeat(64 * 1024);
  const sendMore = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', sendMore);
  sendMore();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
