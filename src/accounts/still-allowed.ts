import type { Callers } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { findApiKey } from './queries/api-keys.ts';
import { findSessionById } from './queries/sessions.ts';

/** Whether the key or session of an answer that takes long could still ask for it: it was neither revoked nor ended. */
export function isStillAllowed(service: Service, caller: Callers['api-key']): Promise<boolean> {
  const { accountId } = caller;
  const now = service.clock();
  return service.database.read(async (tx) => {
    if ('sessionId' in caller) {
      const session = await findSessionById(tx, accountId, caller.sessionId);
      return session !== undefined && session.expiresAt > now;
    }
    if (caller.actor.kind !== 'api_key') return true;
    const key = await findApiKey(tx, accountId, caller.actor.id);
    return key !== undefined && key.revoked_at === null;
  });
}
