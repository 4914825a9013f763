import type { OperatorCaller } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { isoTime } from '../core/time.ts';
import type { Transaction } from '../storage/database.ts';
import { recordChange } from './audit-log.ts';
import type { SignedIn } from './operator-schemas.ts';
import { asOperator, claimOperators } from './operators.ts';
import { findOperator, type Operator } from './queries/operators.ts';
import type { SessionOpening } from './queries/sessions.ts';
import { addSession } from './sessions.ts';

/** A new session. `token` goes into the cookie and nowhere else. */
export interface NewSignIn {
  signedIn: SignedIn;
  token: string;
}

/**
 * The operator that somebody has proved to be. `holds` checks inside the unit of work that the proof is still valid.
 */
export interface Proof extends Pick<OperatorCaller, 'accountId' | 'operatorId'> {
  openedBy: SessionOpening;
  holds(tx: Transaction, operator: Operator): Promise<boolean>;
}

/** Opens and records a session for the operator of the proof. Returns null when the proof is no longer valid. */
export function openSession(
  service: Service,
  { accountId, operatorId, openedBy, holds }: Proof,
  userAgent: string | undefined,
): Promise<NewSignIn | null> {
  const open = async (tx: Transaction): Promise<NewSignIn | null> => {
    // so that nobody removes the operator before the session is stored
    await claimOperators(tx, accountId);
    const operator = await findOperator(tx, accountId, operatorId);
    if (operator === undefined || !(await holds(tx, operator))) return null;
    const now = service.clock();
    const session = await addSession(tx, operator, { openedBy, userAgent }, now);
    const actor = { kind: 'operator', id: operatorId, name: operator.name } as const;
    const change = { resourceId: session.id, after: { openedBy } };
    await recordChange(tx, { accountId, actor, action: 'session.create' }, change, now);
    const seen = asOperator({ ...operator, lastSeenAt: now });
    return { signedIn: { operator: seen, expires: isoTime(session.expiresAt) }, token: session.token };
  };
  return service.database.write(open, { alone: true });
}
