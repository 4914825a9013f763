import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../../errors.ts';
import { type Database, DatabaseFailure, type Transaction, type Unit } from '../database.ts';
import { InFlightWork } from '../in-flight-work.ts';
import { type Announce, type Migration, type MigrationTarget, migrate } from '../migrate.ts';
import { createReadTransaction } from '../read-transaction.ts';
import { withSqliteClauses } from '../sql-text.ts';
import { SqliteConnection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import type { WriteLock } from './write-lock.ts';

// A busy timeout blocks the event loop, so waiting for a lock means retrying; only opening may block.
const BUSY_TIMEOUT_MS = 5;
const OPEN_BUSY_TIMEOUT_MS = 5_000;
const READ_ATTEMPTS_MAX = 20;
const READ_RETRY_MS = 50;

const SYNCHRONOUS = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];

/**
 * Opens the file, creates it when missing and migrates its schema. Writes are group-committed on one connection; reads use
 * another.
 *
 * @param options.writeLock set when another thread of this process writes to the file as well
 * @throws Error when the schema is newer than `migrations`, or a commit would not be durable
 */
export async function openSqlite(
  path: string,
  migrations: readonly Migration[],
  { writeLock, announce }: { writeLock?: WriteLock | undefined; announce?: Announce | undefined } = {},
): Promise<Database> {
  const writer = new SqliteConnection(path, { readonly: false, busyTimeoutMs: OPEN_BUSY_TIMEOUT_MS });
  try {
    const schemaVersion = await migrate(migrationTargetOn(writer), migrations, announce);
    assertDurable(writer);
    const reader = new SqliteConnection(path, { readonly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
    writer.busyTimeoutMs = BUSY_TIMEOUT_MS;
    writer.sortInMemory();
    reader.sortInMemory();
    return createSqliteDatabase(writer, reader, schemaVersion, writeLock);
  } catch (error) {
    writer.close();
    throw error;
  }
}

function createSqliteDatabase(
  writer: SqliteConnection,
  reader: SqliteConnection,
  schemaVersion: number,
  writeLock: WriteLock | undefined,
): Database {
  const commits = new GroupCommit(writer, writeLock);
  const reading = createReadTransaction(reader);
  const inFlight = new InFlightWork();
  return {
    engine: 'sqlite',
    schemaVersion,
    write: (unit) => inFlight.track(() => commits.write(unit)),
    read: (unit) => inFlight.track(() => readWithRetries(unit, reading)),
    durability: () => inFlight.track(async () => ({ synchronous: synchronousOf(writer) })),
    close: () =>
      inFlight.close(async () => {
        reader.close();
        writer.close();
      }),
  };
}

async function readWithRetries<T>(unit: Unit<T>, transaction: Transaction): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await unit(transaction);
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      if (!error.retryable || attempt === READ_ATTEMPTS_MAX) throw unavailable(error.message, error);
      await sleep(READ_RETRY_MS);
    }
  }
}

function assertDurable(connection: SqliteConnection): void {
  const journalMode = connection.pragma('journal_mode');
  const synchronous = synchronousOf(connection);
  if (journalMode === 'wal' && synchronous === 'FULL' && connection.pragma('foreign_keys') === 1) return;
  throw new Error(
    `The database reports journal_mode ${journalMode} and synchronous ${synchronous}, but WAL and FULL are needed, ` +
      'so a power cut could lose a sale. Put the file on a local disk',
  );
}

function synchronousOf(connection: SqliteConnection): string {
  return SYNCHRONOUS[Number(connection.pragma('synchronous'))] ?? 'unknown';
}

function migrationTargetOn(connection: SqliteConnection): MigrationTarget {
  return {
    async hasTable(name) {
      return (
        connection.get("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = @name", { name }) !== undefined
      );
    },
    all: async (sql) => connection.all(sql),
    run: async (sql, parameters) => connection.run(sql, parameters),
    executeScript: async (sql) => connection.executeScript(withSqliteClauses(sql)),
    async exclusively(work) {
      connection.run('BEGIN IMMEDIATE');
      try {
        const result = await work();
        connection.run('COMMIT');
        return result;
      } catch (error) {
        if (connection.inTransaction) connection.run('ROLLBACK');
        throw error;
      }
    },
  };
}
