import type { AccountId, PartnerId, ProgramId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

export interface EmbedToken {
  /** SHA-256 of the token, in hexadecimal. */
  hash: string;
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  /** The actor, as `actorName` gives it; null for tokens of earlier versions and sessions of portal links. */
  issuedBy: string | null;
  createdAt: number;
  expiresAt: number;
}

/** Adds a token with a new hash. */
export async function insertEmbedToken(tx: Transaction, token: EmbedToken): Promise<void> {
  await tx.run(
    `INSERT INTO embed_tokens (hash, account_id, program_id, partner_id, issued_by, created_at, expires_at)
     VALUES (@hash, @accountId, @programId, @partnerId, @issuedBy, @createdAt, @expiresAt)`,
    { ...token },
  );
}

/** The token with this hash, unless it expired before `now`. */
export function findEmbedToken(tx: Transaction, hash: string, now: number): Promise<EmbedToken | undefined> {
  return tx.get<EmbedToken>(
    `SELECT hash, account_id AS "accountId", program_id AS "programId", partner_id AS "partnerId",
       issued_by AS "issuedBy", created_at AS "createdAt", expires_at AS "expiresAt"
     FROM embed_tokens WHERE hash = @hash AND expires_at > @now`,
    { hash, now },
  );
}

/** More than the tokens that one commit adds, so that the table stays small. */
const EXPIRED_PER_COMMIT = 128;

/** Deletes the first expired tokens of any account, oldest first. */
export function deleteExpiredEmbedTokens(tx: Transaction, now: number): Promise<number> {
  // a range of times, because PostgreSQL reads a table of up to 30,000 tokens as a whole to delete 128 by their keys
  return tx.run(
    `DELETE FROM embed_tokens WHERE expires_at >= (SELECT MIN(expires_at) FROM embed_tokens)
       AND expires_at <= (SELECT MAX(e.expires_at) FROM (
         SELECT expires_at FROM embed_tokens WHERE expires_at <= @now ORDER BY expires_at LIMIT ${EXPIRED_PER_COMMIT}) e)`,
    { now },
  );
}

/** Deletes the token with this hash, if there is one. */
export async function deleteEmbedToken(tx: Transaction, hash: string): Promise<void> {
  await tx.run('DELETE FROM embed_tokens WHERE hash = @hash', { hash });
}

/** Deletes all tokens of a partner, expired ones too, and returns them. */
export function deleteEmbedTokensOf(
  tx: Transaction,
  partnerId: PartnerId,
): Promise<Pick<EmbedToken, 'issuedBy' | 'expiresAt'>[]> {
  return tx.all(
    `DELETE FROM embed_tokens WHERE partner_id = @partnerId
     RETURNING issued_by AS "issuedBy", expires_at AS "expiresAt"`,
    { partnerId },
  );
}
