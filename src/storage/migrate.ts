import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { systemClock } from '../clock.ts';
import { SchemaMismatch } from '../errors.ts';
import type { SqlParameters, Transaction } from './database.ts';
import { type DatabaseSize, estimateCost, type MigrationCost, readCost } from './migration-cost.ts';
import { statementsOf } from './sql-text.ts';

/** One numbered file, `0001_core.sql`: version 1, name `core`. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
  /** SHA-256 of the text, in hexadecimal. */
  checksum: string;
}

type NamedMigration = Pick<Migration, 'version' | 'name'>;

/** What an operator should know about the migrations of an existing database, which may take minutes. */
export type MigrationEvent =
  /** Before the first one: all migrations that will run, and roughly what they take together. */
  | { kind: 'planned'; migrations: readonly NamedMigration[]; seconds: number; diskBytes: number }
  /** Another process holds the lock of the migrations; on SQLite, the one of all writes. */
  | { kind: 'waiting' }
  | ({ kind: 'started'; statementCount: number } & NamedMigration)
  /** Every few seconds; on SQLite only between two statements, because a statement blocks the process. */
  | ({ kind: 'progress'; statement: number; statementCount: number; seconds: number } & NamedMigration)
  | ({ kind: 'finished'; seconds: number } & NamedMigration);

export type Announce = (event: MigrationEvent) => void;

export interface MigrateOptions {
  /**
   * Which migrations may run: `migrate` any, `create` only those of an empty database, `expect` none. An existing
   * database may still be in use by a server of the previous release.
   */
  schema?: 'migrate' | 'create' | 'expect' | undefined;
  /** Receives events about the migrations of an existing database, which may take minutes. */
  announce?: Announce | undefined;
  /** Checks an existing database that needs migrations, before anything else; a rejection prevents them. */
  check?: ((tx: Pick<Transaction, 'all'>) => Promise<void>) | undefined;
  /** Runs before the first migration of an existing database, after the announcement; a rejection prevents it. */
  beforehand?: (() => Promise<void>) | undefined;
}

/** What a driver must offer to the migrations. */
export interface MigrationTarget extends DatabaseSize {
  hasTable(name: string): Promise<boolean>;
  all(sql: string, parameters?: SqlParameters): Promise<unknown[]>;
  run(sql: string, parameters: SqlParameters): Promise<unknown>;
  /** The text of a migration as this engine reads it. */
  textFor(sql: string): string;
  /** Runs one statement without parameters. */
  execute(sql: string): Promise<unknown>;
  /** The disk space that writing this many bytes takes, and the free space; null where that cannot be known. */
  spaceFor(bytes: number): Promise<{ neededBytes: number; freeBytes: number | null }>;
  /**
   * Runs `work` in one transaction, while no other process runs migrations on this database. On SQLite foreign keys are
   * off, as its documentation requires for rebuilding a table: otherwise, dropping the old table would search for
   * references to each row.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

type AppliedMigration = Pick<Migration, 'version' | 'name' | 'checksum'>;

const MIGRATIONS_FOLDER = new URL('./migrations/', import.meta.url);

export const PROGRESS_MS = 5_000;

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
 * @throws Error when a file is not named like `0001_core.sql`, the numbers do not start at 1 or have a gap, or one states
 *   no cost
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
      const migration = { version: index + 1, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
      readCost(migration);
      return migration;
    }),
  );
}

/**
 * Applies the missing migrations, each in its own transaction, or all in one to an empty database; returns the schema
 * version after that. Safe to run in several processes at once, and after a kill at any moment: a migration that was not
 * committed has left nothing behind.
 *
 * @throws SchemaMismatch when the schema is newer than the code, or migrations are missing that may not run; Error when
 *   an applied migration was changed, or the disk is too small. In each case, nothing has been changed
 */
export async function migrate(
  target: MigrationTarget,
  migrations: readonly Migration[],
  { schema = 'migrate', announce = () => {}, check = async () => {}, beforehand = async () => {} }: MigrateOptions = {},
): Promise<number> {
  // Checks without the lock first, so that a command beside a running server need not wait for its writes.
  const before = await findApplied(target);
  let next = firstMissing(before, migrations);
  let isNew = before.length === 0;
  if (next && (schema === 'expect' || (schema === 'create' && !isNew)))
    throw new SchemaMismatch(before.length, migrations.length);
  if (next && !isNew) {
    await check({
      all: <Row>(sql: string, parameters?: SqlParameters) => target.all(sql, parameters) as Promise<Row[]>,
    });
    const bytes = await plan(target, migrations.slice(before.length), announce);
    await beforehand();
    // a backup may have been made on the same disk
    await requireSpace(target, bytes);
  }
  while (next) {
    next = await inTurn(target, announce, async () => {
      await target.execute(SCHEMA_MIGRATIONS);
      const applied = await findApplied(target);
      const missing = firstMissing(applied, migrations);
      if (!missing) return undefined;
      isNew ||= applied.length === 0;
      // a command that begins meanwhile would take a part of a new database for an old one
      const turn = applied.length === 0 ? migrations : [missing];
      for (const migration of turn) await apply(target, migration, isNew ? () => {} : announce);
      return migrations[applied.length + turn.length];
    });
  }
  return migrations.length;
}

async function apply(target: MigrationTarget, migration: Migration, announce: Announce): Promise<void> {
  await run(target, migration, announce);
  const { version, name, checksum } = migration;
  await target.run(RECORD, { version, name, checksum, appliedAt: systemClock() });
}

/** As `exclusively`; says so when another process takes long. */
function inTurn<T>(target: MigrationTarget, announce: Announce, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => announce({ kind: 'waiting' }), PROGRESS_MS);
  const begun = () => {
    clearTimeout(timer);
    return work();
  };
  return target.exclusively(begun).finally(() => clearTimeout(timer));
}

/**
 * Announces the migrations. Returns how much they write.
 *
 * @throws Error when the disk has too little space
 */
async function plan(target: MigrationTarget, migrations: readonly Migration[], announce: Announce): Promise<number> {
  const texts = migrations.map((migration) => ({ ...migration, sql: target.textFor(migration.sql) }));
  const cost: MigrationCost = await estimateCost(texts, target);
  const { neededBytes } = await target.spaceFor(cost.bytes);
  announce({
    kind: 'planned',
    migrations: migrations.map(({ version, name }) => ({ version, name })),
    seconds: Math.ceil(cost.seconds),
    diskBytes: neededBytes,
  });
  await requireSpace(target, cost.bytes);
  return cost.bytes;
}

async function requireSpace(target: MigrationTarget, bytes: number): Promise<void> {
  const { neededBytes, freeBytes } = await target.spaceFor(bytes);
  if (freeBytes === null || freeBytes >= neededBytes) return;
  throw new Error(
    `Migrating the database needs about ${megabytes(neededBytes)} MB of free disk space, but only ` +
      `${megabytes(freeBytes)} MB are free, so nothing was changed. Free some space or move the database to a larger ` +
      'disk, then start again',
  );
}

async function run(target: MigrationTarget, { version, name, sql }: Migration, announce: Announce): Promise<void> {
  const statements = statementsOf(target.textFor(sql));
  const statementCount = statements.length;
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  let statement = 0;
  let announcedAt = startedAt;
  const announceProgress = () => {
    if (performance.now() - announcedAt < PROGRESS_MS) return;
    announcedAt = performance.now();
    announce({ kind: 'progress', version, name, statement, statementCount, seconds: seconds() });
  };
  announce({ kind: 'started', version, name, statementCount });
  const timer = setInterval(announceProgress, PROGRESS_MS);
  try {
    for (const text of statements) {
      statement += 1;
      announceProgress();
      await target.execute(text);
    }
  } finally {
    clearInterval(timer);
  }
  announce({ kind: 'finished', version, name, seconds: seconds() });
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}

async function findApplied(target: MigrationTarget): Promise<AppliedMigration[]> {
  return (await target.hasTable('schema_migrations')) ? ((await target.all(APPLIED)) as AppliedMigration[]) : [];
}

function firstMissing(applied: AppliedMigration[], migrations: readonly Migration[]): Migration | undefined {
  for (const { version, name, checksum } of applied) {
    const known = migrations[version - 1];
    if (!known) throw new SchemaMismatch(applied.length, migrations.length);
    if (known.checksum !== checksum || known.name !== name) {
      throw new Error(
        `Migration ${version} (${name}) was changed after it was applied to this database. ` +
          'Restore its released file, and put the change into a new migration',
      );
    }
  }
  return migrations[applied.length];
}
