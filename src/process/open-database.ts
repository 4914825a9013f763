import type { Logger } from 'pino';
import { type Database, type OpenOptions, openDatabase } from '../storage/open.ts';
import { acquireServeLock } from '../storage/sqlite/lock.ts';
import { refuseOldLog } from '../storage/sqlite/old-log.ts';
import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import { preparePrivateFiles, storageProblem } from './private-files.ts';

export type { MigrationEvent } from '../storage/open.ts';

/**
 * Migrates the configured database, which no server may be using: on SQLite, that is checked. Returns the schema version.
 *
 * @throws SchemaMismatch when a newer release has used it; Error when a server uses it or the disk is too small
 */
export async function migrateDatabase(
  config: Config,
  log: Logger,
  options: Pick<OpenOptions, 'announce' | 'check' | 'beforehand'>,
): Promise<number> {
  const release = lockForServing(config, log);
  try {
    const database = await openConfigured(config, log, { ...options, schema: 'migrate' });
    await database.close();
    return database.schemaVersion;
  } finally {
    release();
  }
}

/** Ensures that no other server uses a SQLite file; returns the function that releases it. */
export function lockForServing({ database }: Config, log: Logger): () => void {
  if (database.engine === 'postgres') return () => {};
  // before anything is written: under another name, even opening would create a second write-ahead log
  preparePrivateFiles(database.path, log);
  try {
    const lock = acquireServeLock(database.path);
    return () => lock.release();
  } catch (error) {
    // Node names the file, which is the database; SQLite opens only the lock
    const path = error instanceof Error && 'path' in error ? database.path : `${database.path}.lock`;
    throw storageProblem(path, error) ?? error;
  }
}

/**
 * Opens the configured database; turns a disk problem, or a user that PostgreSQL refuses, into advice. Refuses a backup
 * beside another file's log.
 */
export async function openConfigured({ database }: Config, log: Logger, options: OpenOptions): Promise<Database> {
  if (database.engine === 'sqlite') preparePrivateFiles(database.path, log);
  try {
    if (database.engine === 'sqlite') refuseOldLog(database.path);
    return await openDatabase(database.url, options);
  } catch (error) {
    const problem = database.engine === 'sqlite' ? storageProblem(database.path, error) : refusalBy(error);
    throw problem ?? error;
  }
}

const OWNER_ADVICE =
  '; its user must own the database (ALTER DATABASE … OWNER TO …), or at least the schema and the tables in it';
const SCHEMA_ADVICE =
  '; its search_path, which DATABASE_URL or its user sets, must name a schema that exists (CREATE SCHEMA … AUTHORIZATION …)';
/** With advice: PostgreSQL's codes for a user, password, database or schema that it does not accept, and for too few rights. */
const REFUSALS: Readonly<Record<string, string>> = {
  28000: '',
  '28P01': '',
  '3D000': '',
  '3F000': SCHEMA_ADVICE,
  42501: OWNER_ADVICE,
};

function refusalBy(error: unknown): ConfigError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const advice = 'code' in cause ? REFUSALS[String(cause.code)] : undefined;
    if (advice === undefined) continue;
    return new ConfigError([{ name: 'DATABASE_URL', message: `is refused by PostgreSQL: ${cause.message}${advice}` }]);
  }
  return null;
}
