import type { Callers, Credential } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import { isEmbedTokenActive } from '../programs/embed-tokens.ts';
import type { Transaction, Unit } from '../storage/database.ts';
import { findApiKey } from './queries/api-keys.ts';
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
  await service.database.read(admitting(service, caller));
}

/** For a unit of work that changes something: as `requireStillAllowed`. */
export function admitting({ clock }: Pick<Service, 'clock'>, caller: Callers['api-key']): Unit<void> {
  return async (tx) => {
    if (await isAllowed(tx, caller, clock())) return;
    throw new ServiceError(
      'UNAUTHORIZED',
      'Nothing was done: the key was revoked, the session has ended, or its role has changed while the request arrived',
    );
  };
}
