import { commandLine } from '../app/invocation.ts';
import type { Sealer, ServiceParts } from '../app/service.ts';
import type { Database } from '../storage/database.ts';
import { findSealedSecrets } from './queries/endpoints.ts';

/** Enough to notice a wrong key, and fast at any size. */
const CHECKED_MAX = 100;

/** True when any endpoint has secrets that require the key they were encrypted with. */
export async function hasSealedSecrets(database: Database): Promise<boolean> {
  return (await database.read((tx) => findSealedSecrets(tx, 1))).length > 0;
}

/**
 * Logs an error when secrets among the first hundred endpoints were encrypted with another key. The server starts
 * anyway, because the operator may enter the secrets again while it runs.
 */
export async function reportUnreadableSecrets({ database, sealer, log }: ServiceParts): Promise<void> {
  const sealed = await database.read((tx) => findSealedSecrets(tx, CHECKED_MAX));
  const count = sealed.filter((secrets) => !canOpen(sealer, secrets)).length;
  if (count === 0) return;
  log.error(
    { endpoints: count },
    'another SECRET_KEY (or secret.key) encrypted the secrets of webhook endpoints, whose deliveries will be refused: ' +
      `restore that key, or enter the secrets again; ${commandLine('doctor')} names the endpoints`,
  );
}

function canOpen(sealer: Sealer, sealed: Buffer): boolean {
  try {
    sealer.open(sealed);
    return true;
  } catch {
    return false;
  }
}
