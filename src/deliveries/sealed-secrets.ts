import { commandLine } from '../app/invocation.ts';
import type { ServiceParts } from '../app/service.ts';
import { findSealedSecrets } from './queries/endpoints.ts';

/** Enough to notice a wrong key, and fast at any size. */
const CHECKED_MAX = 100;

/**
 * Logs an error when secrets among the first hundred endpoints were encrypted with another key. The server starts
 * anyway, because the operator may enter the secrets again while it runs.
 */
export async function reportUnreadableSecrets({ database, sealer, log }: ServiceParts): Promise<void> {
  const sealed = await database.read((tx) => findSealedSecrets(tx, CHECKED_MAX));
  const count = sealed.filter((secrets) => sealer.keyOf(secrets) === null).length;
  if (count === 0) return;
  log.error(
    { endpoints: count },
    'another SECRET_KEY (or secret.key) encrypted the secrets of webhook endpoints, whose deliveries will be refused: ' +
      `add that key to SECRET_KEY_FALLBACKS, or enter the secrets again; ${commandLine('doctor')} names the endpoints`,
  );
}
