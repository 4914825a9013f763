import type { Callers, Credential } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import { isEmbedTokenActive } from '../programs/embed-tokens.ts';
import type { Transaction, Unit } from '../storage/database.ts';
import { findApiKey } from './queries/api-keys.ts';
import { delayLockOut } from './queries/lock-outs.ts';
import { findSessionById } from './queries/sessions.ts';

/**
 * Whether the key, session or token of a long exchange could still begin it: it was neither revoked nor ended, and has the
 * same role.
 */
export function isStillAllowed(service: Service, caller: Callers['api-key' | 'embed-token']): Promise<boolean> {
  return service.database.read((tx) => isAllowed(tx, caller, service.clock()));
}

async function isAllowed(tx: Transaction, caller: Callers['api-key' | 'embed-token'], now: number): Promise<boolean> {
  const { accountId } = caller;
  if ('hash' in caller) return isEmbedTokenActive(tx, caller, now);
  if ('sessionId' in caller) {
    const session = await findSessionById(tx, accountId, caller.sessionId);
    return session !== undefined && session.expiresAt > now && session.role === caller.role;
  }
  if (caller.actor.kind !== 'api_key') return true;
  const key = await findApiKey(tx, accountId, caller.actor.id);
  return key !== undefined && key.revoked_at === null;
}

/** @throws ServiceError `UNAUTHORIZED` unless the caller `isStillAllowed` */
export async function requireStillAllowed(service: Service, caller: Callers[Credential]): Promise<void> {
  // what a portal changes checks its token in the same unit of work
  if (caller === null || !('actor' in caller)) return;
  if (!(await isStillAllowed(service, caller))) throw lockedOut();
}

/**
 * For a unit of work that changes something: as `requireStillAllowed`. Whoever takes the access away meanwhile waits for
 * the unit, so that nothing changes any more once they have their answer.
 */
export function admitting({ clock }: Pick<Service, 'clock'>, caller: Callers['api-key']): Unit<void> {
  const { actor } = caller;
  return async (tx) => {
    // at once, for a single round trip; queries run in order
    const delayed = 'id' in actor ? delayLockOut(tx, actor.id) : null;
    const [allowed] = await Promise.all([isAllowed(tx, caller, clock()), delayed]);
    if (!allowed) throw lockedOut();
  };
}

function lockedOut(): ServiceError {
  return new ServiceError(
    'UNAUTHORIZED',
    'Nothing was done: the key was revoked, the session has ended, or its role has changed while the request arrived',
  );
}
