import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { systemClock } from '../clock.ts';
import type { SqlParameters } from './database.ts';

/** One numbered file, `0001_core.sql`: version 1, name `core`. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
  /** SHA-256 of the text, in hexadecimal. */
  checksum: string;
}

/** Called before each migration of an existing database. */
export type Announce = (migration: Pick<Migration, 'version' | 'name'>) => void;

/** What a driver must offer to the migrations. */
export interface MigrationTarget {
  hasTable(name: string): Promise<boolean>;
  all(sql: string): Promise<unknown[]>;
  run(sql: string, parameters: SqlParameters): Promise<unknown>;
  executeScript(sql: string): Promise<unknown>;
  /** Runs `work` in one transaction, while no other process runs migrations on this database. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

type AppliedMigration = Pick<Migration, 'version' | 'name' | 'checksum'>;

const MIGRATIONS_FOLDER = new URL('./migrations/', import.meta.url);

const SCHEMA_MIGRATIONS = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at BIGINT NOT NULL
)`;
const APPLIED = 'SELECT version, name, checksum FROM schema_migrations ORDER BY version';
const RECORD = `INSERT INTO schema_migrations (version, name, checksum, applied_at)
  VALUES (@version, @name, @checksum, @appliedAt)`;

/**
 * The migrations of a folder, by version.
 *
 * @throws Error when a file is not named like `0001_core.sql`, or the numbers do not start at 1 or have a gap
 */
export async function loadMigrations(folder: URL = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const [, digits, name] = /^(\d{4})_(\w+)\.sql$/.exec(file) ?? [];
      if (digits === undefined || name === undefined || Number(digits) !== index + 1) {
        throw new Error(`Migration ${file} should be number ${index + 1}, named like 0001_core.sql`);
      }
      const sql = await readFile(new URL(file, folder), 'utf8');
      return { version: index + 1, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Applies the missing migrations, each in its own transaction; returns the schema version after that. Safe to run in
 * several processes at once, and after a kill at any moment.
 *
 * @param announce called before each migration of a database that has earlier ones, because it may take minutes
 * @throws Error when the schema is newer than the code, or an applied migration was changed
 */
export async function migrate(
  target: MigrationTarget,
  migrations: readonly Migration[],
  announce: Announce = () => {},
): Promise<number> {
  // Checks without the lock first, so that a command beside a running server need not wait for its writes.
  let next = firstMissing(await findApplied(target), migrations);
  let isNew = false;
  while (next) {
    next = await target.exclusively(async () => {
      await target.executeScript(SCHEMA_MIGRATIONS);
      const applied = await findApplied(target);
      const missing = firstMissing(applied, migrations);
      if (!missing) return undefined;
      isNew ||= applied.length === 0;
      if (!isNew) announce(missing);
      const { version, name, checksum, sql } = missing;
      await target.executeScript(sql);
      await target.run(RECORD, { version, name, checksum, appliedAt: systemClock() });
      return migrations[version];
    });
  }
  return migrations.length;
}

async function findApplied(target: MigrationTarget): Promise<AppliedMigration[]> {
  return (await target.hasTable('schema_migrations')) ? ((await target.all(APPLIED)) as AppliedMigration[]) : [];
}

function firstMissing(applied: AppliedMigration[], migrations: readonly Migration[]): Migration | undefined {
  for (const { version, name, checksum } of applied) {
    const known = migrations[version - 1];
    if (!known) {
      throw new Error(
        `The database has schema version ${applied.length}, but this program knows only ${migrations.length}: ` +
          'a newer release has used it. Start that release, or restore a backup from before the upgrade',
      );
    }
    if (known.checksum !== checksum || known.name !== name) {
      throw new Error(
        `Migration ${version} (${name}) was changed after it was applied to this database. ` +
          'Restore its released file, and put the change into a new migration',
      );
    }
  }
  return migrations[applied.length];
}
