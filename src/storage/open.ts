import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Database, DatabaseFailure } from './database.ts';
import { loadMigrations, type MigrateOptions } from './migrate.ts';
import type { ReplicaOptions } from './replica.ts';
import type { SqliteOptions } from './sqlite/database.ts';
import { unavailableBecause } from './unavailable.ts';

export type { Database } from './database.ts';
export type { MigrationEvent } from './migrate.ts';

export interface OpenOptions extends MigrateOptions {
  /** The folder of the numbered .sql files; the program's own by default. */
  migrationsFolder?: URL;
  /** A standby that may answer reports; only on PostgreSQL. */
  replica?: ReplicaOptions | undefined;
  /** For an engine that runs in this process: how its threads share the file. */
  sqlite?: Omit<SqliteOptions, keyof MigrateOptions> | undefined;
}

/**
 * Opens the database at `url`, creates it when missing and, unless told otherwise, migrates its schema.
 *
 * @param url `file:./data/refbridge.db` (relative to the working folder) or `postgres://user:password@host/name`
 * @throws SchemaMismatch when it needs a migration that may not run, or is newer than the program; Error when the URL is
 *   neither, or commits would not be durable; ServiceError `UNAVAILABLE` when the database cannot be reached, is locked,
 *   or fails during a migration
 */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Database> {
  try {
    return await openEngine(url, options);
  } catch (error) {
    throw error instanceof DatabaseFailure ? unavailableBecause(error) : error;
  }
}

async function openEngine(
  url: string,
  { migrationsFolder, sqlite, replica, ...migrating }: OpenOptions,
): Promise<Database> {
  const migrations = await loadMigrations(migrationsFolder);
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres/database.ts');
    return openPostgres(url, migrations, { ...migrating, replica });
  }
  const path = sqlitePathOf(url);
  if (path === null) {
    throw new Error('DATABASE_URL must be file:./path/to/refbridge.db or postgres://user:password@host/database');
  }
  mkdirSync(dirname(path), { recursive: true });
  const { openSqlite } = await import('./sqlite/database.ts');
  return openSqlite(path, migrations, { ...sqlite, ...migrating });
}

/**
 * The path of a `file:` URL as written, or of `file:///…` decoded; null for anything else. Without spaces around it, which
 * better-sqlite3 leaves out: another file would be locked than the one that is opened.
 */
export function sqlitePathOf(url: string): string | null {
  if (!url.startsWith('file:')) return null;
  const path = (url.startsWith('file://') ? decodedPathOf(url) : url.slice('file:'.length)).trim();
  return path === '' || path === ':memory:' || path.includes('\0') ? null : path;
}

/** Empty for a URL that names another host, as `file://./data/refbridge.db` does, or is encoded wrongly. */
function decodedPathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return '';
  }
}
