import type { AccountId, OperatorId } from '../../core/ids.ts';
import type { OperatorRole } from '../../core/operator.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PageBounds } from '../../storage/list-filters.ts';

export interface Operator {
  id: OperatorId;
  accountId: AccountId;
  name: string;
  /** In lower case; null until one is set. */
  email: string | null;
  /** When the operator set the address themselves; null if an owner has invited them under it. */
  ownEmailAt: number | null;
  role: OperatorRole;
  /** A hash from `passwords.ts`; null until one is set. */
  password: string | null;
  createdAt: number;
  lastSeenAt: number | null;
}

export const OPERATOR_COLUMNS = `o.id, o.account_id AS "accountId", o.name, o.email, o.own_email_at AS "ownEmailAt", o.role,
  o.password, o.created_at AS "createdAt", o.last_seen_at AS "lastSeenAt"`;

/** Adds an operator. Returns false when the account has one with this e-mail address. */
export async function insertOperator(tx: Transaction, operator: Operator): Promise<boolean> {
  const added = await tx.run(
    `INSERT INTO operators (id, account_id, name, email, own_email_at, role, password, created_at, last_seen_at)
     VALUES (@id, @accountId, @name, @email, @ownEmailAt, @role, @password, @createdAt, @lastSeenAt)
     ON CONFLICT (account_id, email) DO NOTHING`,
    { ...operator },
  );
  return added === 1;
}

export function findOperator(tx: Transaction, accountId: AccountId, id: string): Promise<Operator | undefined> {
  return tx.get<Operator>(
    `SELECT ${OPERATOR_COLUMNS} FROM operators o WHERE o.account_id = @accountId AND o.id = @id`,
    {
      accountId,
      id,
    },
  );
}

/** @param email in lower case */
export function findOperatorByEmail(
  tx: Transaction,
  accountId: AccountId,
  email: string,
): Promise<Operator | undefined> {
  return tx.get<Operator>(
    `SELECT ${OPERATOR_COLUMNS} FROM operators o WHERE o.account_id = @accountId AND o.email = @email`,
    {
      accountId,
      email,
    },
  );
}

/**
 * The operators of any account who may sign in with this e-mail address and a password, at most `limit`, oldest first.
 */
export function findOperatorsWithPassword(tx: Transaction, email: string, limit: number): Promise<Operator[]> {
  return tx.all<Operator>(
    `SELECT ${OPERATOR_COLUMNS} FROM operators o WHERE o.email = @email AND o.password IS NOT NULL ORDER BY o.id LIMIT @limit`,
    { email, limit },
  );
}

/** The account's operators with ids below `beforeId`, newest first, at most `limit`. */
export function findOperators(
  tx: Transaction,
  accountId: AccountId,
  { limit, beforeId }: PageBounds,
): Promise<Operator[]> {
  return tx.all<Operator>(
    `SELECT ${OPERATOR_COLUMNS} FROM operators o WHERE o.account_id = @accountId AND o.id < @beforeId
     ORDER BY o.id DESC LIMIT @limit`,
    { accountId, limit, beforeId },
  );
}

/** The number of owners that the account has besides this operator. */
export async function countOtherOwners(tx: Transaction, accountId: AccountId, id: string): Promise<number> {
  const row = await tx.get<{ count: number }>(
    "SELECT COUNT(*) AS count FROM operators WHERE account_id = @accountId AND role = 'owner' AND id <> @id",
    { accountId, id },
  );
  return row?.count ?? 0;
}

/** Updates everything about an operator that somebody may change. The address must be free. */
export async function updateOperator(tx: Transaction, operator: Operator): Promise<void> {
  const { id, name, email, ownEmailAt, role, password } = operator;
  await tx.run(
    `UPDATE operators SET name = @name, email = @email, own_email_at = @ownEmailAt, role = @role, password = @password
     WHERE id = @id`,
    { id, name, email, ownEmailAt, role, password },
  );
}

/** Records the time when an operator was seen, unless a later time is already recorded. */
export async function touchOperator(tx: Transaction, id: OperatorId, now: number): Promise<void> {
  await tx.run(
    'UPDATE operators SET last_seen_at = @now WHERE id = @id AND (last_seen_at IS NULL OR last_seen_at < @now)',
    { id, now },
  );
}

/** Deletes an operator whose codes and sessions are already deleted. */
export async function deleteOperator(tx: Transaction, id: OperatorId): Promise<void> {
  await tx.run('DELETE FROM operators WHERE id = @id', { id });
}
