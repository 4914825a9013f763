import { randomBytes } from 'node:crypto';
import type { Service } from '../app/service.ts';
import { withoutAddresses } from '../core/without-addresses.ts';
import { ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { recordChange } from './audit-log.ts';
import { OpenIdFailure } from './open-id-failure.ts';
import { createOpenIdProvider, type OpenIdClaims, type OpenIdProvider } from './open-id-provider.ts';
import { openSession, type Proof } from './open-session.ts';
import { claimOperators } from './operators.ts';
import {
  type Candidate,
  findLinkedOperators,
  findLinkedSubject,
  findOperatorsWithAddress,
  type Identity,
  insertIdentity,
} from './queries/operator-identities.ts';
import { findOperator, type Operator } from './queries/operators.ts';
import { type Attempt, takeAttempt, withAttempt } from './sign-in-attempts.ts';
import type { SignInProblem } from './single-sign-on-problems.ts';

/** How long a person may take at the provider. */
export const ATTEMPT_LIFETIME_MS = 10 * 60_000;
/** The path to which the provider sends the browser back. It is registered at the provider. */
export const CALLBACK_PATH = '/dashboard/single-sign-on/callback';
/** 256 bits; as text they have the length that PKCE requires. */
const SECRET_BYTES = 32;
/** Limited because the same e-mail address may belong to operators of several accounts. */
const CANDIDATES_MAX = 100;
const RETURN_CHARACTERS_MAX = 1_000;

export interface SignInStart {
  /** The URL at the provider. */
  url: string;
  /** The value of the cookie with the browser's attempts. */
  cookie: string;
}

/**
 * The end of an attempt: a session, whose `token` goes into its cookie, or a problem. `cookie` is the new value of the
 * cookie with the browser's attempts; null: it has not changed.
 */
export type SignInEnd = { path: string; cookie: string | null } & ({ token: string } | { problem: SignInProblem });

export interface SignInWishes {
  /** A path of the dashboard, such as `/sales`. Anything else leads to the overview. */
  returnTo: string | null;
  /** For people who are operators of several accounts. */
  accountId: string | null;
}

/** @throws ServiceError `NOT_FOUND` when single sign-on is not configured; OpenIdFailure */
export async function startSingleSignOn(
  service: Service,
  wishes: SignInWishes,
  cookie: string | null,
): Promise<SignInStart> {
  const provider = requireProvider(service);
  const attempt: Attempt = {
    state: newSecret(),
    nonce: newSecret(),
    codeVerifier: newSecret(),
    returnTo: dashboardPath(service, wishes.returnTo),
    accountId: wishes.accountId,
    startedAt: service.clock(),
  };
  const url = await provider.authorizationUrl(service.baseUrl + CALLBACK_PATH, attempt);
  return { url, cookie: withAttempt(cookie, attempt) };
}

/**
 * Ends an attempt. The person whom the provider names signs in as the operator linked to them. Their first sign-in links
 * every operator who was invited under their verified e-mail address. Signing in never creates an operator.
 *
 * @param url path and query of the callback
 * @param cookie the cookie with the browser's attempts; null without one
 * @throws ServiceError `NOT_FOUND` when single sign-on is not configured
 */
export async function finishSingleSignOn(
  service: Service,
  { url, cookie, userAgent }: { url: string; cookie: string | null; userAgent: string | undefined },
): Promise<SignInEnd> {
  const provider = requireProvider(service);
  const callback = new URL(service.baseUrl + CALLBACK_PATH + queryOf(url));
  // the state proves that this browser started the attempt
  const taken = takeAttempt(cookie, callback.searchParams.get('state'));
  const path = dashboardPath(service, taken?.attempt.returnTo ?? null);
  if (taken === null) return { path, cookie: null, problem: 'expired' };
  const { attempt, rest } = taken;
  const ended = { path, cookie: rest };
  if (service.clock() - attempt.startedAt > ATTEMPT_LIFETIME_MS) return { ...ended, problem: 'expired' };
  try {
    const claims = await provider.claimsOf(callback, attempt);
    const proof = await proofOf(service, claims, attempt.accountId);
    const opened = typeof proof === 'string' ? null : await openSession(service, proof, userAgent);
    if (opened !== null) return { ...ended, token: opened.token };
    const problem = typeof proof === 'string' ? proof : 'expired';
    const { issuer, subject } = claims;
    service.log.info({ problem, issuer, subject: withoutAddresses(subject) }, 'single sign-on was refused');
    return { ...ended, problem };
  } catch (error) {
    return { ...ended, problem: logFailure(service, error) };
  }
}

/** Logs why the provider or its response was unusable. @throws any other error */
export function logFailure({ log }: Service, error: unknown): SignInProblem {
  if (!(error instanceof OpenIdFailure)) throw error;
  const { problem, message: reason } = error;
  const isOurs = problem === 'provider_unavailable' || problem === 'settings' || problem === 'clock';
  log[isOurs ? 'warn' : 'info']({ problem, reason }, 'single sign-on failed');
  return problem;
}

/** The operator that the claims prove the person to be, or the reason why there is none. */
async function proofOf(
  service: Service,
  claims: OpenIdClaims,
  accountId: string | null,
): Promise<Proof | SignInProblem> {
  const { issuer, subject, email, isEmailVerified } = claims;
  const identity = { issuer, subject };
  const isWanted = (candidate: Candidate) => accountId === null || candidate.accountId === accountId;
  const linked = await findLinked(service, identity, isWanted);
  if (linked !== undefined) return linked;
  if (email === null) return 'email_missing';
  // an unverified address may belong to somebody else
  if (!isEmailVerified) return 'email_unverified';
  const named = await service.database.read((tx) => findOperatorsWithAddress(tx, email, issuer, CANDIDATES_MAX));
  const wanted = named.filter(isWanted);
  // the address may have been given to another person in the meantime
  const free = wanted.filter(({ linkedSubject }) => linkedSubject === null);
  for (const candidate of free.filter(isInvited)) await linkOperator(service, candidate, email, identity);
  const found = await findLinked(service, identity, isWanted);
  if (found !== undefined) return found;
  if (wanted.length === 0) return 'not_invited';
  return free.some((candidate) => !isInvited(candidate)) ? 'not_confirmed' : 'linked_to_another';
}

/** The operator linked to the person, of several the one who was seen last. */
async function findLinked(
  { database }: Service,
  identity: Identity,
  isWanted: (candidate: Candidate) => boolean,
): Promise<Proof | undefined> {
  const { issuer, subject } = identity;
  const linked = await database.read((tx) => findLinkedOperators(tx, identity, CANDIDATES_MAX));
  const [known] = linked.filter(isWanted).toSorted((a, b) => (b.lastSeenAt ?? 0) - (a.lastSeenAt ?? 0));
  if (known === undefined) return undefined;
  const holds = async (tx: Transaction, { id }: Operator) => (await findLinkedSubject(tx, id, issuer)) === subject;
  return { accountId: known.accountId, operatorId: known.id, openedBy: 'single_sign_on', holds };
}

/** Anybody could set the address of a person whom another account has invited. */
function isInvited({ ownEmailAt }: Pick<Operator, 'ownEmailAt'>): boolean {
  return ownEmailAt === null;
}

/** Links an operator who was invited under the address to the person, unless either has changed in the meantime. */
async function linkOperator(
  { database, clock }: Service,
  { id, accountId }: Candidate,
  email: string,
  identity: Identity,
): Promise<void> {
  const link = async (tx: Transaction) => {
    await claimOperators(tx, accountId);
    const operator = await findOperator(tx, accountId, id);
    if (operator === undefined || operator.email !== email || !isInvited(operator)) return;
    const now = clock();
    if (!(await insertIdentity(tx, id, identity, now))) return;
    const actor = { kind: 'operator', id, name: operator.name } as const;
    await recordChange(tx, { accountId, actor, action: 'operator.link' }, { resourceId: id, after: identity }, now);
  };
  await database.write(link, { alone: true });
}

const createProvider = ({ singleSignOn, clock }: Service): OpenIdProvider | null =>
  singleSignOn === null ? null : createOpenIdProvider(singleSignOn, clock);

function requireProvider(service: Service): OpenIdProvider {
  const provider = service.state(createProvider);
  if (provider !== null) return provider;
  throw new ServiceError(
    'NOT_FOUND',
    'Single sign-on is not configured: set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
  );
}

/** A path of the dashboard, including its base. However the input is written, the result never leaves the dashboard. */
function dashboardPath({ baseUrl }: Service, wanted: string | null): string {
  const path = wanted !== null && wanted.length <= RETURN_CHARACTERS_MAX && wanted.startsWith('/') ? wanted : '/';
  const base = path.startsWith('/dashboard/') ? '' : '/dashboard';
  const url = URL.parse(baseUrl + base + path);
  const isInside = url !== null && url.origin === baseUrl && url.pathname.startsWith('/dashboard/');
  return isInside && !url.pathname.startsWith('/dashboard//') ? url.pathname + url.search : '/dashboard/';
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
