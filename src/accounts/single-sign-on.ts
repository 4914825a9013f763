import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { recordChange } from './audit-log.ts';
import { createOpenIdProvider, type OpenIdClaims, OpenIdFailure, type OpenIdProvider } from './open-id-provider.ts';
import { openSession, type Proof } from './open-session.ts';
import {
  type Candidate,
  findLinkedOperators,
  findLinkedSubject,
  findOperatorsWithAddress,
  insertIdentity,
} from './queries/operator-identities.ts';
import type { Operator } from './queries/operators.ts';
import type { SignInProblem } from './single-sign-on-problems.ts';

/** How long somebody may take at the provider. */
export const ATTEMPT_LIFETIME_MS = 10 * 60_000;
/** Where the provider sends the browser back to; it is registered there. */
export const CALLBACK_PATH = '/dashboard/single-sign-on/callback';
/** 256 bits, as text of the length that PKCE asks for. */
const SECRET_BYTES = 32;
/** The same address may belong to operators of several accounts. */
const CANDIDATES_MAX = 100;
const RETURN_CHARACTERS_MAX = 1_000;

/** An attempt, as the browser that began it keeps it. */
const attemptSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  accountId: z.string().nullable(),
  startedAt: z.number(),
});

type Attempt = z.infer<typeof attemptSchema>;

export interface SignInStart {
  /** The address at the provider. */
  url: string;
  /** For the cookie of the attempt. */
  cookie: string;
}

/** How an attempt ended: with a session, whose `token` goes into its cookie, or with a problem. */
export type SignInEnd = { path: string } & ({ token: string } | { problem: SignInProblem });

export interface SignInWishes {
  /** A path of the dashboard, `/sales`; anything else leads to the overview. */
  returnTo: string | null;
  /** For operators of several accounts. */
  accountId: string | null;
}

/** @throws ServiceError `NOT_FOUND` when single sign-on is not configured; OpenIdFailure */
export async function startSingleSignOn(service: Service, wishes: SignInWishes): Promise<SignInStart> {
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
  return { url, cookie: Buffer.from(JSON.stringify(attempt)).toString('base64url') };
}

/**
 * Ends an attempt: the person whom the provider names enters as the operator who is linked to them, or, at the first time, as
 * the one with their verified address. Nobody becomes an operator by signing in.
 *
 * @param url path and query of the callback
 * @param cookie of the attempt; null without one
 * @throws ServiceError `NOT_FOUND` when single sign-on is not configured
 */
export async function finishSingleSignOn(
  service: Service,
  { url, cookie, userAgent }: { url: string; cookie: string | null; userAgent: string | undefined },
): Promise<SignInEnd> {
  const provider = requireProvider(service);
  const attempt = readAttempt(cookie);
  const path = dashboardPath(service, attempt?.returnTo ?? null);
  const callback = new URL(service.baseUrl + CALLBACK_PATH + queryOf(url));
  const age = attempt === null ? Number.NaN : service.clock() - attempt.startedAt;
  // the state proves that this browser began the attempt
  if (attempt === null || callback.searchParams.get('state') !== attempt.state || !(age <= ATTEMPT_LIFETIME_MS)) {
    return { path, problem: 'expired' };
  }
  try {
    const claims = await provider.claimsOf(callback, attempt);
    const proof = await proofOf(service, claims, attempt.accountId);
    const opened = typeof proof === 'string' ? null : await openSession(service, proof, userAgent);
    if (opened !== null) return { path, token: opened.token };
    const problem = typeof proof === 'string' ? proof : 'expired';
    service.log.info({ problem, issuer: claims.issuer, subject: claims.subject }, 'single sign-on was refused');
    return { path, problem };
  } catch (error) {
    return { path, problem: logFailure(service, error) };
  }
}

/** Logs why the provider, or what it sent, was of no use. @throws whatever else happened */
export function logFailure({ log }: Service, error: unknown): SignInProblem {
  if (!(error instanceof OpenIdFailure)) throw error;
  const { problem, message: reason } = error;
  const isOurs = problem === 'provider_unavailable' || problem === 'settings' || problem === 'clock';
  log[isOurs ? 'warn' : 'info']({ problem, reason }, 'single sign-on failed');
  return problem;
}

/** The operator whom the claims prove the person to be, or why there is none. */
async function proofOf(
  service: Service,
  claims: OpenIdClaims,
  accountId: string | null,
): Promise<Proof | SignInProblem> {
  const { issuer, subject, email, isEmailVerified } = claims;
  const identity = { issuer, subject };
  const isWanted = (candidate: Candidate) => accountId === null || candidate.accountId === accountId;
  const openedBy = 'single_sign_on';
  const linked = await service.database.read((tx) => findLinkedOperators(tx, identity, CANDIDATES_MAX));
  const known = lastSeen(linked.filter(isWanted));
  if (known !== undefined) {
    const holds = async (tx: Transaction, { id }: Operator) => (await findLinkedSubject(tx, id, issuer)) === subject;
    return { accountId: known.accountId, operatorId: known.id, openedBy, holds };
  }
  // an address that nobody has verified may be somebody else's
  if (email === null || !isEmailVerified) return 'email_unverified';
  const named = await service.database.read((tx) => findOperatorsWithAddress(tx, email, issuer, CANDIDATES_MAX));
  const wanted = named.filter(isWanted);
  const found = lastSeen(wanted.filter(({ linkedSubject }) => linkedSubject === null));
  // the address may have been given to another person since
  if (found === undefined) return wanted.length > 0 ? 'linked_to_another' : 'not_invited';
  const holds = async (tx: Transaction, { id, accountId: account, name, email: current }: Operator) => {
    const now = service.clock();
    if (current !== email || !(await insertIdentity(tx, id, identity, now))) return false;
    const audited = { accountId: account, actor: { kind: 'operator', id, name }, action: 'operator.link' } as const;
    await recordChange(tx, audited, { resourceId: id, after: identity }, now);
    return true;
  };
  return { accountId: found.accountId, operatorId: found.id, openedBy, holds };
}

function lastSeen(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.toSorted((a, b) => (b.lastSeenAt ?? 0) - (a.lastSeenAt ?? 0))[0];
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

/** A path of the dashboard, with its base. Nothing leads out of it, however an address is written. */
function dashboardPath({ baseUrl }: Service, wanted: string | null): string {
  const path = wanted !== null && wanted.length <= RETURN_CHARACTERS_MAX && wanted.startsWith('/') ? wanted : '/';
  const base = path.startsWith('/dashboard/') ? '' : '/dashboard';
  const url = URL.parse(baseUrl + base + path);
  const isInside = url !== null && url.origin === baseUrl && url.pathname.startsWith('/dashboard/');
  return isInside && !url.pathname.startsWith('/dashboard//') ? url.pathname + url.search : '/dashboard/';
}

function readAttempt(cookie: string | null): Attempt | null {
  try {
    return attemptSchema.parse(JSON.parse(Buffer.from(cookie ?? '', 'base64url').toString()));
  } catch {
    return null;
  }
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
