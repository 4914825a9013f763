import type { Sealer } from '../app/service.ts';
import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import { createSealer, createSealerOnDemand } from './sealer.ts';
import { createKeyFile, keyFileOf, readKeyFile } from './secret-key.ts';

/**
 * Reads the key before the database is opened, and returns a function that creates the sealer afterwards. A missing key
 * file is created when the first secret is stored, but not beside a database that holds something which no key at hand
 * opens: a new key could not open it either, and would hide the fact that the old one must be restored.
 *
 * The returned function takes what reads some of the sealed values, at least one if there are any.
 *
 * @throws ConfigError at once for an unusable key; from the returned function for a missing one
 */
export function prepareSealer({
  secretKey,
  secretKeyFallbacks: fallbacks,
  database,
}: Config): (readSealed: () => Promise<Buffer[]>) => Promise<Sealer> {
  if (secretKey !== null) return async () => createSealer(secretKey, fallbacks);
  if (database.engine === 'postgres') {
    throw new ConfigError([{ name: 'SECRET_KEY', message: 'is required with PostgreSQL' }]);
  }
  const { path } = database;
  const key = readKeyFile(path);
  if (key !== null) return async () => createSealer(key, fallbacks);
  return async (readSealed) => {
    const sealer = createSealerOnDemand(
      { readKey: () => readKeyFile(path), createKey: () => createKeyFile(path) },
      fallbacks,
    );
    const sealed = await readSealed();
    if (sealed.some((value) => sealer.keyOf(value) === null)) throw keyIsMissing(path);
    return sealer;
  };
}

/** Creates the key file of a server on SQLite unless it exists; call it after the sealer was created. */
export function createMissingKey(config: Config): void {
  const path = databaseWithoutKey(config);
  if (path !== null) createKeyFile(path);
}

/** The path of the SQLite database whose key file is missing; null if there is a key. */
export function databaseWithoutKey({ secretKey, database }: Config): string | null {
  if (secretKey !== null || database.engine === 'postgres') return null;
  return readKeyFile(database.path) === null ? database.path : null;
}

function keyIsMissing(databasePath: string): ConfigError {
  const message =
    'is missing, and the database holds secrets or payout details that only this key opens: restore the file from your ' +
    'backup, or set SECRET_KEY. If the key is lost, set SECRET_KEY to another (`openssl rand -base64 32`), and enter ' +
    'them again';
  return new ConfigError([{ name: keyFileOf(databasePath), message }]);
}
