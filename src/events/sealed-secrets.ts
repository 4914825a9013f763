import { commandLine } from '../app/invocation.ts';
import type { ServiceParts } from '../app/service.ts';
import { findSealedEventSecrets } from './queries/endpoints.ts';

/** Enough to notice a wrong key, and fast at any size. */
const CHECKED_MAX = 100;

/**
 * Logs an error when secrets among a hundred event endpoints were encrypted with another key. The server starts anyway:
 * events wait until the key is back or the secrets are rotated.
 */
export async function reportUnreadableEventSecrets({ database, sealer, log }: ServiceParts): Promise<void> {
  const sealed = await database.read((tx) => findSealedEventSecrets(tx, CHECKED_MAX));
  const count = sealed.filter((secrets) => sealer.keyOf(secrets) === null).length;
  if (count === 0) return;
  log.error(
    { endpoints: count },
    'another SECRET_KEY (or secret.key) encrypted the secrets of event endpoints, which get no events: ' +
      `add that key to SECRET_KEY_FALLBACKS, or rotate the secrets; ${commandLine('doctor')} names the endpoints`,
  );
}
