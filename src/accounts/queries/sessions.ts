import type { AccountId, OperatorId, SessionId } from '../../core/ids.ts';
import type { OperatorRole } from '../../core/operator.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, filterParameters, type PageBounds, pageSql, walkOf } from '../../storage/list-filters.ts';

/** How somebody signed in: by a sign-in link, by e-mail address and password, or at the OpenID provider. */
export const SESSION_OPENINGS = ['code', 'password', 'single_sign_on'] as const;

export type SessionOpening = (typeof SESSION_OPENINGS)[number];

export interface NewSession {
  id: SessionId;
  accountId: AccountId;
  operatorId: OperatorId;
  /** SHA-256 of the token, in hexadecimal. */
  hash: string;
  openedBy: SessionOpening;
  userAgent: string | null;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
}

/** A session with its operator. */
export interface SessionView extends Omit<NewSession, 'hash'> {
  operatorName: string;
  role: OperatorRole;
}

const VIEW = `SELECT s.id, s.account_id AS "accountId", s.operator_id AS "operatorId", s.opened_by AS "openedBy",
    s.user_agent AS "userAgent", s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt",
    s.expires_at AS "expiresAt", o.name AS "operatorName", o.role
  FROM operator_sessions s JOIN operators o ON o.id = s.operator_id WHERE`;

const LIST = {
  alias: 's',
  columns: {},
  walks: { operatorId: walkOf('s', 's.account_id = @accountId AND s.operator_id = @operatorId') },
};

/** Adds a session with a new id and hash. */
export async function insertSession(tx: Transaction, session: NewSession): Promise<void> {
  await tx.run(
    `INSERT INTO operator_sessions (id, account_id, operator_id, hash, opened_by, user_agent, created_at, last_seen_at,
       expires_at)
     VALUES (@id, @accountId, @operatorId, @hash, @openedBy, @userAgent, @createdAt, @lastSeenAt, @expiresAt)`,
    { ...session },
  );
}

/** The session with this hash, unless it expired before `now`. */
export function findSession(tx: Transaction, hash: string, now: number): Promise<SessionView | undefined> {
  return tx.get<SessionView>(`${VIEW} s.hash = @hash AND s.expires_at > @now`, { hash, now });
}

/** A session of this account, expired or not. */
export function findSessionById(tx: Transaction, accountId: AccountId, id: string): Promise<SessionView | undefined> {
  return tx.get<SessionView>(`${VIEW} s.account_id = @accountId AND s.id = @id`, { accountId, id });
}

/** Active sessions of the account, or of one operator (`operatorId`), newest first. */
export function findSessions(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  { now, limit, beforeId }: PageBounds & { now: number },
): Promise<SessionView[]> {
  return tx.all<SessionView>(`${VIEW} s.expires_at > @now AND ${pageSql(filters, LIST)}`, {
    accountId,
    now,
    ...filterParameters(filters),
    limit,
    beforeId,
  });
}

/** Records the time when a session was seen, and extends the session. A session that has ended stays ended. */
export async function touchSession(
  tx: Transaction,
  { id, now, expiresAt }: { id: SessionId; now: number; expiresAt: number },
): Promise<void> {
  await tx.run(
    'UPDATE operator_sessions SET last_seen_at = @now, expires_at = @expiresAt WHERE id = @id AND last_seen_at < @now',
    { id, now, expiresAt },
  );
}

/**
 * Deletes a session of the account. Returns false when there is no such session. `operatorId` null: of any operator.
 */
export async function deleteSession(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  operatorId: OperatorId | null,
): Promise<boolean> {
  const deleted = await tx.run(
    `DELETE FROM operator_sessions WHERE account_id = @accountId AND id = @id
       AND operator_id = COALESCE(@operatorId, operator_id)`,
    { accountId, id, operatorId },
  );
  return deleted === 1;
}

/** Deletes the sessions of an operator, except the given one. */
export async function deleteSessionsOfOperator(
  tx: Transaction,
  operatorId: OperatorId,
  exceptId: SessionId | null,
): Promise<void> {
  await tx.run('DELETE FROM operator_sessions WHERE operator_id = @operatorId AND id <> @exceptId', {
    operatorId,
    exceptId: exceptId ?? '',
  });
}

/** Deletes up to `limit` expired sessions of any account, oldest first. */
export async function deleteExpiredSessions(tx: Transaction, now: number, limit: number): Promise<void> {
  await tx.run(
    `DELETE FROM operator_sessions WHERE id IN (
       SELECT id FROM operator_sessions WHERE expires_at <= @now ORDER BY expires_at, id LIMIT @limit)`,
    { now, limit },
  );
}
