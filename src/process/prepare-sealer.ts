import type { Sealer } from '../app/service.ts';
import { type Config, ConfigError } from './config.ts';
import { createSealer, createSealerOnDemand } from './sealer.ts';
import { createKeyFile, keyFileOf, readKeyFile } from './secret-key.ts';

/**
 * Reads the key before the database is opened, and returns a function that creates the sealer afterwards. A missing key
 * file is created when the first secret is stored, but never beside a database that holds sealed secrets: a new key
 * could not open them, and would hide the fact that the old one must be restored.
 *
 * @throws ConfigError at once for an unusable key; from the returned function for a missing one
 */
export function prepareSealer({
  secretKey,
  database,
}: Config): (hasSealedSecrets: () => Promise<boolean>) => Promise<Sealer> {
  if (secretKey !== null) return async () => createSealer(secretKey);
  if (database.engine === 'postgres') {
    throw new ConfigError([{ name: 'SECRET_KEY', message: 'is required with PostgreSQL' }]);
  }
  const { path } = database;
  const key = readKeyFile(path);
  if (key !== null) return async () => createSealer(key);
  return async (hasSealedSecrets) => {
    if (await hasSealedSecrets()) throw keyIsMissing(path);
    return createSealerOnDemand({ readKey: () => readKeyFile(path), createKey: () => createKeyFile(path) });
  };
}

/** Creates the key file of a server on SQLite unless it exists; call it after the sealer was created. */
export function createMissingKey({ secretKey, database }: Config): void {
  if (secretKey !== null || database.engine === 'postgres') return;
  if (readKeyFile(database.path) === null) createKeyFile(database.path);
}

function keyIsMissing(databasePath: string): ConfigError {
  const message =
    'is missing, and the database holds secrets or payout details that only this key opens: restore the file from your ' +
    'backup, or set SECRET_KEY. If the key is lost, set SECRET_KEY to another (`openssl rand -base64 32`), and enter ' +
    'them again';
  return new ConfigError([{ name: keyFileOf(databasePath), message }]);
}
