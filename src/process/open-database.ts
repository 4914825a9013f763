import type { Logger } from 'pino';
import { type Database, type OpenOptions, openDatabase } from '../storage/open.ts';
import { acquireServeLock } from '../storage/sqlite/lock.ts';
import { refuseOldLog } from '../storage/sqlite/old-log.ts';
import type { Config } from './config.ts';
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
    throw storageProblem(`${database.path}.lock`, error) ?? error;
  }
}

/** Opens the configured database; turns a disk problem into advice. Refuses a backup beside another file's log. */
export async function openConfigured({ database }: Config, log: Logger, options: OpenOptions): Promise<Database> {
  if (database.engine === 'postgres') return openDatabase(database.url, options);
  preparePrivateFiles(database.path, log);
  try {
    refuseOldLog(database.path);
    return await openDatabase(database.url, options);
  } catch (error) {
    throw storageProblem(database.path, error) ?? error;
  }
}
