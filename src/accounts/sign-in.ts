import { bearerTokenHash, isBearerToken } from '../app/bearer-token.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { OperatorCaller } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { isoTime } from '../core/time.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import { applyPatch, type MergePatch } from '../schema/merge-patch.ts';
import type { Transaction } from '../storage/database.ts';
import { type NewSignIn, openSession, type Proof } from './open-session.ts';
import { type OperatorResource, type OwnPatch, ownPatch, type SignedIn, type SignInInput } from './operator-schemas.ts';
import { asOperator, claimOperators, requireEmailFree, requireOperator } from './operators.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { beginLockOut } from './queries/lock-outs.ts';
import { findOperatorsWithPassword, type Operator, updateOperator } from './queries/operators.ts';
import { deleteSessionsOfOperator, findSessionById, type SessionView } from './queries/sessions.ts';
import { deleteCodesOfOperator, findOperatorOfCode, useSignInCode } from './queries/sign-in-codes.ts';
import { CODE_LIFETIME_MS } from './sign-in-codes.ts';

/** Limited because the same e-mail address may belong to operators of several accounts. */
const CANDIDATES_MAX = 10;

const NEEDED_BY_PASSWORD = 'is required: a password signs in only together with an e-mail address';

/**
 * Exchanges a code, which works once, or an e-mail address and password for a session.
 *
 * @throws ServiceError `UNAUTHORIZED`, with the same message and after the same work whatever was wrong
 */
export async function signIn(
  service: Service,
  { code, email, password }: SignInInput,
  userAgent: string | undefined,
): Promise<NewSignIn> {
  const proof = await (code === null ? byPassword(service, email ?? '', password ?? '') : byCode(service, code));
  const opened = proof === null ? null : await openSession(service, proof, userAgent);
  if (opened === null) throw refused();
  return opened;
}

/** The operator who is signed in, and when the session expires. */
export function getSignedIn(service: Service, caller: OperatorCaller): Promise<SignedIn> {
  return service.database.read(async (tx) => {
    const { operator, session } = await requireOwn(tx, caller);
    return { operator: asOperator(operator), expires: isoTime(session.expiresAt) };
  });
}

/**
 * Changes the caller's own name, e-mail address or password. A new password ends all other sessions and sign-in links.
 *
 * @throws ServiceError `VALIDATION_ERROR`, also for a wrong or missing `currentPassword`; `CONFLICT` when the address
 * is taken, or one of the three was changed at the same time; `NOT_FOUND` when the session has ended meanwhile
 */
export async function changeSelf(
  service: Service,
  caller: OperatorCaller,
  patch: MergePatch<OwnPatch>,
): Promise<OperatorResource> {
  const known = await service.database.read((tx) => requireOwn(tx, caller));
  const input = applyPatch(ownPatch, { name: known.operator.name, email: known.operator.email }, patch);
  const changesPassword = Object.hasOwn(patch, 'password');
  if (changesPassword || input.email !== known.operator.email) {
    await requireProof(service, known, input.currentPassword);
    const hasPassword = (changesPassword ? input.password : known.operator.password) !== null;
    if (hasPassword && input.email === null) throw validationError([{ path: 'email', message: NEEDED_BY_PASSWORD }]);
  }
  const password = input.password === null ? null : await hashPassword(input.password);
  return service.database.write(async (tx) => {
    if (changesPassword) await beginLockOut(tx, caller.operatorId);
    await claimOperators(tx, caller.accountId);
    // passwords may have waited for seconds: whoever was locked out meanwhile must not set one
    const { operator } = await requireOwn(tx, caller);
    if (!isUnchanged(operator, known.operator)) {
      const message = 'Your name, e-mail address or password was changed at the same time; load the page and try again';
      throw new ServiceError('CONFLICT', message);
    }
    const own = { name: input.name, email: input.email, ...(changesPassword ? { password } : {}) };
    const ownEmailAt = own.email === operator.email ? operator.ownEmailAt : service.clock();
    const changed: Operator = { ...operator, ...own, ownEmailAt };
    await requireEmailFree(tx, changed);
    await updateOperator(tx, changed);
    if (changesPassword) {
      await deleteSessionsOfOperator(tx, operator.id, caller.sessionId);
      await deleteCodesOfOperator(tx, operator.id);
    }
    const secretMembers = changesPassword ? ['password'] : [];
    noteChange(tx, {
      resourceId: operator.id,
      before: asOperator(operator),
      after: asOperator(changed),
      secretMembers,
    });
    return asOperator(changed);
  });
}

function isUnchanged(now: Operator, before: Operator): boolean {
  return now.name === before.name && now.email === before.email && now.password === before.password;
}

/** A code works once. Of two concurrent requests, one finds it used. */
async function byCode(service: Service, code: string): Promise<Proof | null> {
  if (!isBearerToken('rb_signin_', code)) return null;
  const hash = bearerTokenHash(code);
  const operator = await service.database.read((tx) => findOperatorOfCode(tx, hash));
  if (operator === undefined) return null;
  const holds = (tx: Transaction) => useSignInCode(tx, hash, service.clock());
  return { accountId: operator.accountId, operatorId: operator.id, openedBy: 'code', holds };
}

/** Hashes before the unit of work, which must not wait for hashing. */
async function byPassword(service: Service, email: string, password: string): Promise<Proof | null> {
  const candidates = await service.database.read((tx) => findOperatorsWithPassword(tx, email, CANDIDATES_MAX));
  let found: Operator | null = null;
  if (candidates.length === 0) await isPassword(password, null);
  for (const candidate of candidates) {
    if ((await isPassword(password, candidate.password)) && found === null) found = candidate;
  }
  if (found === null) return null;
  const { accountId, id: operatorId, password: known } = found;
  return { accountId, operatorId, openedBy: 'password', holds: async (_tx, operator) => operator.password === known };
}

async function requireProof(
  service: Service,
  { operator, session }: { operator: Operator; session: SessionView },
  currentPassword: string | null,
): Promise<void> {
  if (operator.password === null) return;
  const isFresh = session.openedBy === 'code' && service.clock() - session.createdAt < CODE_LIFETIME_MS;
  if (isFresh && currentPassword === null) return;
  if (currentPassword !== null && (await isPassword(currentPassword, operator.password))) return;
  const message = currentPassword === null ? 'is required; or sign in again with a sign-in address' : 'is wrong';
  throw validationError([{ path: 'currentPassword', message }]);
}

/** @throws ServiceError `NOT_FOUND` when the session has ended since the request was accepted */
async function requireOwn(
  tx: Transaction,
  { accountId, operatorId, sessionId }: OperatorCaller,
): Promise<{ operator: Operator; session: SessionView }> {
  const session = await findSessionById(tx, accountId, sessionId);
  if (session === undefined) throw notFound('session', sessionId);
  return { operator: await requireOperator(tx, accountId, operatorId), session };
}

function refused(): ServiceError {
  return new ServiceError(
    'UNAUTHORIZED',
    'Signing in failed: the sign-in address is wrong, was used or has expired, or e-mail address and password do not ' +
      'match. Ask an owner for a new sign-in address, or run `refbridge login-link`',
  );
}
