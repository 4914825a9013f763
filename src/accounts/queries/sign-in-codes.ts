import type { AccountId, OperatorId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { OPERATOR_COLUMNS, type Operator } from './operators.ts';

export interface SignInCode {
  /** SHA-256 of the code, in hexadecimal. */
  hash: string;
  operatorId: OperatorId;
  purpose: 'sign_in' | 'invitation';
  createdAt: number;
  expiresAt: number;
}

/** Adds a code with a new hash. */
export async function insertSignInCode(tx: Transaction, code: SignInCode): Promise<void> {
  await tx.run(
    `INSERT INTO sign_in_codes (hash, operator_id, purpose, created_at, expires_at)
     VALUES (@hash, @operatorId, @purpose, @createdAt, @expiresAt)`,
    { ...code },
  );
}

/** Marks a code as used. Returns false unless the code was unused and not expired. */
export async function useSignInCode(tx: Transaction, hash: string, now: number): Promise<boolean> {
  const used = await tx.run(
    'UPDATE sign_in_codes SET used_at = @now WHERE hash = @hash AND used_at IS NULL AND expires_at > @now',
    { hash, now },
  );
  return used === 1;
}

/** The operator that a code signs in, used or not. */
export function findOperatorOfCode(tx: Transaction, hash: string): Promise<Operator | undefined> {
  return tx.get<Operator>(
    `SELECT ${OPERATOR_COLUMNS} FROM sign_in_codes c JOIN operators o ON o.id = c.operator_id WHERE c.hash = @hash`,
    { hash },
  );
}

export async function deleteCodesOfOperator(tx: Transaction, operatorId: OperatorId): Promise<void> {
  await tx.run('DELETE FROM sign_in_codes WHERE operator_id = @operatorId', { operatorId });
}

/** Deletes the account's codes that owners have created and nobody has used; those of `login-link` stay. */
export async function deleteInvitations(tx: Transaction, accountId: AccountId): Promise<void> {
  await tx.run(
    `DELETE FROM sign_in_codes WHERE purpose = 'invitation' AND used_at IS NULL
       AND operator_id IN (SELECT id FROM operators WHERE account_id = @accountId)`,
    { accountId },
  );
}

/** Deletes up to `limit` expired codes of any account, oldest first. */
export async function deleteExpiredCodes(tx: Transaction, now: number, limit: number): Promise<void> {
  await tx.run(
    `DELETE FROM sign_in_codes WHERE hash IN (
       SELECT hash FROM sign_in_codes WHERE expires_at <= @now ORDER BY expires_at, hash LIMIT @limit)`,
    { now, limit },
  );
}
