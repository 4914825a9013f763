import type { OperatorId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { Operator } from './operators.ts';

/** A person at an OpenID provider. Only the pair of issuer and subject is unique, and only the pair never changes. */
export interface Identity {
  issuer: string;
  subject: string;
}

/**
 * An operator who may be the person, and the subject linked to that operator at this issuer; null when none is linked.
 */
export interface Candidate extends Pick<Operator, 'id' | 'accountId' | 'ownEmailAt' | 'lastSeenAt'> {
  linkedSubject: string | null;
}

const CANDIDATE = `o.id, o.account_id AS "accountId", o.own_email_at AS "ownEmailAt", o.last_seen_at AS "lastSeenAt",
  i.subject AS "linkedSubject"`;

/** The operators of any account who are linked to this person, at most `limit`, oldest first. */
export function findLinkedOperators(tx: Transaction, identity: Identity, limit: number): Promise<Candidate[]> {
  return tx.all<Candidate>(
    `SELECT ${CANDIDATE} FROM operator_identities i JOIN operators o ON o.id = i.operator_id
     WHERE i.issuer = @issuer AND i.subject = @subject ORDER BY o.id LIMIT @limit`,
    { ...identity, limit },
  );
}

/**
 * The operators of any account with this e-mail address, linked or not, at most `limit`, oldest first.
 *
 * @param email in lower case
 */
export function findOperatorsWithAddress(
  tx: Transaction,
  email: string,
  issuer: string,
  limit: number,
): Promise<Candidate[]> {
  return tx.all<Candidate>(
    `SELECT ${CANDIDATE} FROM operators o
     LEFT JOIN operator_identities i ON i.operator_id = o.id AND i.issuer = @issuer
     WHERE o.email = @email ORDER BY o.id LIMIT @limit`,
    { email, issuer, limit },
  );
}

/** The subject that an operator is linked to at this issuer; undefined when none is. */
export async function findLinkedSubject(
  tx: Transaction,
  operatorId: OperatorId,
  issuer: string,
): Promise<string | undefined> {
  const row = await tx.get<{ subject: string }>(
    'SELECT subject FROM operator_identities WHERE operator_id = @operatorId AND issuer = @issuer',
    { operatorId, issuer },
  );
  return row?.subject;
}

/** Links an operator to a person. Returns false when the operator is already linked to a subject at this issuer. */
export async function insertIdentity(
  tx: Transaction,
  operatorId: OperatorId,
  identity: Identity,
  now: number,
): Promise<boolean> {
  const added = await tx.run(
    `INSERT INTO operator_identities (operator_id, issuer, subject, created_at)
     VALUES (@operatorId, @issuer, @subject, @now) ON CONFLICT (operator_id, issuer) DO NOTHING`,
    { operatorId, ...identity, now },
  );
  return added === 1;
}

export async function deleteIdentitiesOfOperator(tx: Transaction, operatorId: OperatorId): Promise<void> {
  await tx.run('DELETE FROM operator_identities WHERE operator_id = @operatorId', { operatorId });
}
