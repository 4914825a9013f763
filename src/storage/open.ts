import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from './database.ts';
import { type Announce, loadMigrations } from './migrate.ts';
import type { SqliteOptions } from './sqlite/database.ts';

export type { Announce } from './migrate.ts';

interface OpenOptions {
  /** The folder of the numbered .sql files; the program's own by default. */
  migrationsFolder?: URL;
  /** Told about the migrations of an existing database, which may take minutes. */
  announce?: Announce;
  /** For an engine that runs in this process: how its threads share the file. */
  sqlite?: Omit<SqliteOptions, 'announce'> | undefined;
}

/**
 * Opens the database at `url`, creates it when missing and migrates its schema.
 *
 * @param url `file:./data/refbridge.db` (relative to the working folder) or `postgres://user:password@host/name`
 * @throws Error when the URL is neither, the schema is newer than the program, or commits would not be durable;
 *   ServiceError `UNAVAILABLE` when the database cannot be reached
 */
export async function openDatabase(
  url: string,
  { migrationsFolder, announce, sqlite }: OpenOptions = {},
): Promise<Database> {
  const migrations = await loadMigrations(migrationsFolder);
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres/database.ts');
    return openPostgres(url, migrations, announce);
  }
  const path = sqlitePathOf(url);
  if (path === null) {
    throw new Error('DATABASE_URL must be file:./path/to/refbridge.db or postgres://user:password@host/database');
  }
  mkdirSync(dirname(path), { recursive: true });
  const { openSqlite } = await import('./sqlite/database.ts');
  return openSqlite(path, migrations, { ...sqlite, announce });
}

/** The path of a `file:` URL as written, or of `file:///…` decoded; null for anything else. */
export function sqlitePathOf(url: string): string | null {
  if (url.startsWith('file://')) return fileURLToPath(url);
  const path = url.startsWith('file:') ? url.slice('file:'.length) : '';
  return path === '' || path === ':memory:' ? null : path;
}
