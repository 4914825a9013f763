import { realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, DatabaseFailure, type Transaction, type Unit } from '../database.ts';
import { InFlightWork } from '../in-flight-work.ts';
import { type MigrateOptions, type Migration, migrate } from '../migrate.ts';
import { createReadTransaction } from '../read-transaction.ts';
import { REPORT_DEADLINE_MS, withDeadline } from '../report-deadline.ts';
import { unavailableBecause } from '../unavailable.ts';
import { type CacheSizes, COMMAND_CACHES } from './cache.ts';
import { CheckpointLoop, createLogWatch } from './checkpoint-loop.ts';
import { CommitLog } from './commit-log.ts';
import { BUSY_TIMEOUT_MS, SqliteConnection } from './connection.ts';
import { diskUseOf } from './disk-use.ts';
import { isLocked } from './failure.ts';
import { GroupCommit } from './group-commit.ts';
import { LogReadAhead } from './log-read-ahead.ts';
import { runInBulk, runInSnapshot } from './long-transaction.ts';
import { migrationTargetOn } from './migration-target.ts';
import { ReportThread, type ReportThreadOptions } from './report-thread.ts';
import { CheckpointRequests, type WriteLock } from './write-lock.ts';

export interface SqliteOptions extends MigrateOptions {
  /**
   * Set when several threads of this process use the file. Their connections then never checkpoint; the thread opened
   * with `reportThread` takes care of that.
   */
  writeLock?: WriteLock | undefined;
  /** For a server: runs reports and checkpoints on its own thread. Needs `writeLock`. */
  reportThread?: Pick<ReportThreadOptions, 'onProblem'> | undefined;
  caches?: CacheSizes | undefined;
  /** False for a command that deletes whole accounts, whose rows refer to each other. */
  foreignKeys?: boolean | undefined;
  /** True for a command: a server may be writing to the file as well. */
  isBesideServer?: boolean | undefined;
}

// only opening may block the thread
const OPEN_BUSY_TIMEOUT_MS = 5_000;
const OPEN_RETRY_MS = 20;
const READ_ATTEMPTS_MAX = 20;
const READ_RETRY_MS = 50;

const SYNCHRONOUS = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];

/**
 * Opens the file, creates it when missing and migrates its schema. Writes are group-committed on one connection; reads
 * use another. Reports run on the calling thread without a deadline, unless they have their own thread.
 *
 * @throws SchemaMismatch when its schema may not be migrated, or is newer than `migrations`; Error when a commit would
 *   not be durable
 */
export async function openSqlite(
  file: string,
  migrations: readonly Migration[],
  options: SqliteOptions = {},
): Promise<Database> {
  const { announce, schema, check, beforehand, writeLock, caches = COMMAND_CACHES, foreignKeys = true } = options;
  const writer = await openWriter(file, caches);
  try {
    // where a link leads, because what belongs to the file lies beside it, perhaps on another disk
    const path = realpathSync(file);
    let hasMigrated = false;
    const schemaVersion = await migrate(migrationTargetOn(writer, path), migrations, {
      schema,
      check,
      beforehand,
      announce(event) {
        hasMigrated = true;
        announce?.(event);
      },
    });
    // A migration leaves a log as large as its changes. A server begins with an empty log, because its predecessor may
    // have ended when the disk failed, and nobody knows which part of that log is on disk.
    if (hasMigrated || options.reportThread) writer.pragma('wal_checkpoint(TRUNCATE)');
    assertDurable(writer);
    const reader = new SqliteConnection(path, {
      readonly: true,
      busyTimeoutMs: BUSY_TIMEOUT_MS,
      cacheKibibytes: caches.readerKibibytes,
    });
    writer.busyTimeoutMs = BUSY_TIMEOUT_MS;
    if (writeLock) writer.stopCheckpoints();
    if (!foreignKeys) writer.foreignKeys = 'OFF';
    // not before, because migrations rewrite tables; what is deleted would else stay in the file's free space, and in backups
    writer.pragma('secure_delete = ON');
    writer.sortInMemory();
    reader.sortInMemory();
    const log = writeLock && new CommitLog(path, writeLock.memory);
    if (log) writer.leaveSyncToLog();
    const threads = writeLock && startThreads(path, writeLock, options);
    const { isBesideServer } = options;
    return createSqliteDatabase({ path, writer, reader, schemaVersion, writeLock, isBesideServer, log, threads });
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** SQLite gives a new file its log only while nobody writes, and does not wait for that however long the timeout is. */
async function openWriter(path: string, { writerKibibytes: cacheKibibytes }: CacheSizes): Promise<SqliteConnection> {
  const giveUpAt = performance.now() + OPEN_BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      return new SqliteConnection(path, { readonly: false, busyTimeoutMs: OPEN_BUSY_TIMEOUT_MS, cacheKibibytes });
    } catch (error) {
      if (!isLocked(error) || performance.now() > giveUpAt) throw error;
      await sleep(OPEN_RETRY_MS);
    }
  }
}

interface Threads {
  requests: CheckpointRequests;
  ahead: LogReadAhead;
  reports: ReportThread | undefined;
  close(): Promise<void>;
}

function startThreads(path: string, writeLock: WriteLock, { reportThread, caches }: SqliteOptions): Threads {
  const requests = new CheckpointRequests(writeLock.memory);
  const ahead = LogReadAhead.of(path);
  if (reportThread === undefined) return { requests, ahead, reports: undefined, close: () => ahead.close() };
  const { onProblem } = reportThread;
  const cacheKibibytes = (caches ?? COMMAND_CACHES).reportsKibibytes;
  const reports = new ReportThread({ path, cacheKibibytes, writeLock, onProblem });
  const checkpoints = new CheckpointLoop(requests, reports, onProblem);
  return {
    requests,
    ahead,
    reports,
    async close() {
      await checkpoints.stop();
      await reports.close();
      await ahead.close();
    },
  };
}

interface SqliteParts {
  path: string;
  writer: SqliteConnection;
  reader: SqliteConnection;
  schemaVersion: number;
  writeLock: WriteLock | undefined;
  isBesideServer: boolean | undefined;
  /** Set on a server, whose writing thread must not wait for the disk. */
  log: CommitLog | undefined;
  threads: Threads | undefined;
}

function createSqliteDatabase(parts: SqliteParts): Database {
  const { path, writer, reader, schemaVersion, writeLock, isBesideServer, log, threads } = parts;
  const onCommit = threads && createLogWatch(writer, threads.requests, threads.ahead);
  const commits = new GroupCommit(writer, { log, writeLock, isBesideServer, onCommit });
  const reading = createReadTransaction(reader);
  const inFlight = new InFlightWork();
  const reports = threads?.reports;
  /** No caller sees a result, or a refusal, that a power cut could undo. */
  const stored = async <T>(working: Promise<T>): Promise<T> => {
    try {
      return await working;
    } finally {
      await log?.durable()?.catch((error) => {
        throw unavailableBecause(error);
      });
    }
  };
  return {
    engine: 'sqlite',
    schemaVersion,
    write: (unit, options) => inFlight.track(() => commits.write(unit, options)),
    read: (unit) => inFlight.track(() => stored(readWithRetries(unit, reading))),
    report: (unit, { deadlineMs = REPORT_DEADLINE_MS } = {}) =>
      inFlight.track(() =>
        stored(reports ? reportOnThread(reports, unit, deadlineMs) : readWithRetries(unit, reading)),
      ),
    snapshot: (work) =>
      inFlight.track(() => runInSnapshot(path, async (tx) => work(await stored(Promise.resolve(tx))))),
    bulk: (work) => inFlight.track(() => runInBulk(path, work)),
    durability: () => inFlight.track(async () => ({ synchronous: effectiveSynchronous(log, writer) })),
    diskUse: () => inFlight.track(() => diskUseOf(path)),
    estimateRows: async () => null,
    close: () =>
      inFlight.close(async () => {
        await threads?.close();
        reader.close();
        if (reports) log?.discardIfOverwritten();
        writer.close();
        log?.close();
      }),
  };
}

function reportOnThread<T>(reports: ReportThread, unit: Unit<T>, deadlineMs: number): Promise<T> {
  const queries = reports.createQueries();
  return withDeadline(deadlineMs, () => readWithRetries(unit, createReadTransaction(queries)), queries.stop);
}

async function readWithRetries<T>(unit: Unit<T>, transaction: Transaction): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await unit(transaction);
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      if (!error.retryable || attempt === READ_ATTEMPTS_MAX) throw unavailableBecause(error);
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

/** The `synchronous` level that answered commits have in effect: with the commit log, `FULL`. */
function effectiveSynchronous(log: CommitLog | undefined, writer: SqliteConnection): string {
  const synchronous = synchronousOf(writer);
  return synchronous === 'NORMAL' && log && !log.failure ? 'FULL' : synchronous;
}

function synchronousOf(connection: SqliteConnection): string {
  return SYNCHRONOUS[Number(connection.pragma('synchronous'))] ?? 'unknown';
}
