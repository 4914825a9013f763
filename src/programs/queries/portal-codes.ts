import type { AccountId, PartnerId, ProgramId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

export interface PortalCode {
  /** SHA-256 of the code, in hexadecimal. */
  hash: string;
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  createdAt: number;
  expiresAt: number;
}

/** Adds a code with a new hash. */
export async function insertPortalCode(tx: Transaction, code: PortalCode): Promise<void> {
  await tx.run(
    `INSERT INTO portal_codes (hash, account_id, program_id, partner_id, created_at, expires_at)
     VALUES (@hash, @accountId, @programId, @partnerId, @createdAt, @expiresAt)`,
    { ...code },
  );
}

/** Marks a code as used. Returns false unless the code was unused and not expired. */
export async function usePortalCode(tx: Transaction, hash: string, now: number): Promise<boolean> {
  const used = await tx.run(
    'UPDATE portal_codes SET used_at = @now WHERE hash = @hash AND used_at IS NULL AND expires_at > @now',
    { hash, now },
  );
  return used === 1;
}

/** The code with this hash, used or not. */
export function findPortalCode(tx: Transaction, hash: string): Promise<PortalCode | undefined> {
  return tx.get<PortalCode>(
    `SELECT hash, account_id AS "accountId", program_id AS "programId", partner_id AS "partnerId",
       created_at AS "createdAt", expires_at AS "expiresAt"
     FROM portal_codes WHERE hash = @hash`,
    { hash },
  );
}

/** Deletes up to `limit` expired codes of any account, oldest first. */
export async function deleteExpiredPortalCodes(tx: Transaction, now: number, limit: number): Promise<void> {
  await tx.run(
    `DELETE FROM portal_codes WHERE hash IN (
       SELECT hash FROM portal_codes WHERE expires_at <= @now ORDER BY expires_at, hash LIMIT @limit)`,
    { now, limit },
  );
}

/** Deletes all codes of a partner, used and expired ones too, and returns them. */
export function deletePortalCodesOf(
  tx: Transaction,
  partnerId: PartnerId,
): Promise<{ usedAt: number | null; expiresAt: number }[]> {
  return tx.all(
    'DELETE FROM portal_codes WHERE partner_id = @partnerId RETURNING used_at AS "usedAt", expires_at AS "expiresAt"',
    { partnerId },
  );
}
