import { bearerTokenHash, createBearerToken, isBearerToken } from '../app/bearer-token.ts';
import { BoundedCache } from '../app/bounded-cache.ts';
import { noteChange } from '../app/noted-changes.ts';
import { type Page, type PageQuery, pageOf } from '../app/page.ts';
import type { OperatorCaller } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import type { SessionId } from '../core/ids.ts';
import { hasRole } from '../core/operator.ts';
import { DAY_MS, isoTime } from '../core/time.ts';
import { excerpt, notFound } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import type { SessionResource } from './operator-schemas.ts';
import { beginLockOut } from './queries/lock-outs.ts';
import { type Operator, touchOperator } from './queries/operators.ts';
import {
  deleteExpiredSessions,
  deleteSession,
  findSession,
  findSessionById,
  findSessions,
  insertSession,
  type NewSession,
  type SessionOpening,
  type SessionView,
  touchSession,
} from './queries/sessions.ts';

export const SESSION_LIFETIME_MS = 14 * DAY_MS;
const TOUCH_INTERVAL_MS = 5 * 60_000;
const RECENT_TOUCHES_MAX = 10_000;
const USER_AGENT_CHARACTERS_MAX = 120;
/** Each new session deletes a few expired ones, so that the table stays small. */
const DELETED_PER_SESSION_MAX = 20;

/** The session of a request. */
export interface ActiveSession {
  caller: OperatorCaller;
  /** True when this request extended the session, so that the browser should extend its cookie as well. */
  isExtended: boolean;
}

/** Opens a session inside a unit of work. Only this result contains its token. */
export async function addSession(
  tx: Transaction,
  { id: operatorId, accountId }: Pick<Operator, 'id' | 'accountId'>,
  { openedBy, userAgent }: { openedBy: SessionOpening; userAgent: string | undefined },
  now: number,
): Promise<{ id: SessionId; token: string; expiresAt: number }> {
  const token = createBearerToken('rb_session_');
  const session: NewSession = {
    id: createId('ses'),
    accountId,
    operatorId,
    hash: bearerTokenHash(token),
    openedBy,
    userAgent: userAgent === undefined ? null : excerpt(userAgent.toWellFormed(), USER_AGENT_CHARACTERS_MAX),
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + SESSION_LIFETIME_MS,
  };
  await deleteExpiredSessions(tx, now, DELETED_PER_SESSION_MAX);
  await insertSession(tx, session);
  await touchOperator(tx, operatorId, now);
  return { id: session.id, token, expiresAt: session.expiresAt };
}

/**
 * The session of a token, with the operator's current role; null unless the session is active. Nothing is cached, so
 * that signing out and a new role take effect with their commit.
 */
export async function findActiveSession(service: Service, token: string): Promise<ActiveSession | null> {
  if (!isBearerToken('rb_session_', token)) return null;
  const now = service.clock();
  const session = await service.database.read((tx) => findSession(tx, bearerTokenHash(token), now));
  if (session === undefined) return null;
  const { id: sessionId, accountId, operatorId, operatorName: name, role } = session;
  const caller: OperatorCaller = {
    accountId,
    actor: { kind: 'operator', id: operatorId, name },
    operatorId,
    sessionId,
    role,
  };
  return { caller, isExtended: extend(service, session, now) };
}

/** One page of the active sessions, newest first. An owner's list contains those of all operators. */
export function listSessions(
  service: Service,
  caller: OperatorCaller,
  page: PageQuery,
): Promise<Page<SessionResource>> {
  const now = service.clock();
  const filters = { operatorId: hasRole(caller.role, 'owner') ? null : caller.operatorId };
  const find = (tx: Transaction) =>
    pageOf(
      page,
      (bounds) => findSessions(tx, caller.accountId, filters, { ...bounds, now }),
      (session) => asSession(session, caller),
    );
  return service.database.report(find);
}

/**
 * Ends a session: the caller's own, or any session if the caller is an owner.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export function endSession(
  service: Service,
  { accountId, operatorId, role }: OperatorCaller,
  id: string,
): Promise<void> {
  return service.database.write(async (tx) => {
    const only = hasRole(role, 'owner') ? null : operatorId;
    const session = await findSessionById(tx, accountId, id);
    if (session !== undefined && (only === null || session.operatorId === only))
      await beginLockOut(tx, session.operatorId);
    const isDeleted = await deleteSession(tx, accountId, id, only);
    if (!isDeleted) throw notFound('session', id);
    noteChange(tx, { resourceId: id });
  });
}

/** Sessions that were extended within the last minutes. A burst, or a failing database, thus costs one write. */
const createRecentTouches = ({ clock }: Service) =>
  new BoundedCache<SessionId, true>({ entriesMax: RECENT_TOUCHES_MAX, maxAgeMs: TOUCH_INTERVAL_MS, clock });

/** Not awaited: recording the last use is not worth delaying or refusing a request. */
function extend(service: Service, { id, operatorId, lastSeenAt }: SessionView, now: number): boolean {
  const recentTouches = service.state(createRecentTouches);
  if (now - lastSeenAt < TOUCH_INTERVAL_MS || recentTouches.get(id) !== undefined) return false;
  recentTouches.set(id, true);
  service.database
    .write(
      async (tx) => {
        await touchSession(tx, { id, now, expiresAt: now + SESSION_LIFETIME_MS });
        await touchOperator(tx, operatorId, now);
      },
      { alone: true },
    )
    .catch((error: unknown) => service.log.debug({ err: error, sessionId: id }, 'could not extend a session'));
  return true;
}

function asSession(session: SessionView, { sessionId }: OperatorCaller): SessionResource {
  return {
    id: session.id,
    operatorId: session.operatorId,
    operatorName: session.operatorName,
    openedBy: session.openedBy,
    userAgent: session.userAgent,
    createdAt: isoTime(session.createdAt),
    lastSeenAt: isoTime(session.lastSeenAt),
    expiresAt: isoTime(session.expiresAt),
    isCurrent: session.id === sessionId,
  };
}
