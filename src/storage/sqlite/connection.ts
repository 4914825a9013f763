import BetterSqlite3 from 'better-sqlite3';
import { NumberOutOfRange } from '../../errors.ts';
import type { SqlParameters } from '../database.ts';
import { parameterOf, toPositionalSql } from '../sql-text.ts';
import { databaseFailureFrom } from './failure.ts';

interface Statement {
  names: readonly string[];
  prepared: BetterSqlite3.Statement<unknown[]>;
  isReadonly: boolean;
  /** The returned columns that may hold numbers: all but those of type TEXT, which SQLite converts to text. */
  numeric: readonly string[];
}

type WalCheckpoint = Record<'busy' | 'log' | 'checkpointed', number>;

export interface SqliteConnectionOptions {
  /** For reads: sees only committed rows, and refuses to write. */
  readonly: boolean;
  /** How long a statement may block its thread while another connection holds the lock. */
  busyTimeoutMs: number;
  /** The page cache; the operating system caches the rest of the file. */
  cacheKibibytes?: number;
}

/** How far a checkpoint got: the pages in the write-ahead log, and those that are in the file as well. */
export interface WalState {
  logPages: number;
  copiedPages: number;
  /** Nobody reads from the log any more, so the next write starts it from the beginning. */
  isReset: boolean;
}

/** Waiting for a lock blocks the thread, so it means trying again. */
export const BUSY_TIMEOUT_MS = 5;
const STATEMENTS_MAX = 1_000;

/**
 * For a new file; an existing one keeps its page size. A sale changes a few bytes in some fifteen pages: with half of
 * SQLite's default size its commit writes a third less, and sequential sales are slightly faster.
 */
const PAGE_BYTES = 2_048;
/** The size of the write-ahead log at which it is copied into the file. */
export const CHECKPOINT_BYTES = 16 * 1024 * 1024;
/** What the log holds of each page besides the page. */
const FRAME_HEADER_BYTES = 24;
/** A log that grew beyond this because of a long read is cut to this size when it is written from the beginning. */
const LOG_BYTES_KEPT = 64 * 1024 * 1024;
const CACHE_KIBIBYTES = 4_000;

/** One connection in WAL mode, synchronous=FULL until `leaveSyncToLog`; caches prepared statements by text. */
export class SqliteConnection {
  readonly #database: BetterSqlite3.Database;
  readonly #statements = new Map<string, Statement>();
  #changeCount = 0;

  constructor(path: string, { readonly, busyTimeoutMs, cacheKibibytes = CACHE_KIBIBYTES }: SqliteConnectionOptions) {
    this.#database = new BetterSqlite3(path, { readonly, fileMustExist: readonly, timeout: busyTimeoutMs });
    try {
      this.#configure(cacheKibibytes);
    } catch (error) {
      this.#database.close();
      throw databaseFailureFrom(error) ?? error;
    }
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** Grows with every statement that may write, even if it fails halfway. */
  get changeCount(): number {
    return this.#changeCount;
  }

  get(sql: string, parameters: SqlParameters = {}): unknown {
    try {
      const statement = this.#statement(sql);
      const row = statement.prepared.get(bindings(statement, parameters));
      if (row !== undefined) assertSafeIntegers(statement, row);
      return row;
    } catch (error) {
      throw databaseFailureFrom(error) ?? error;
    }
  }

  all(sql: string, parameters: SqlParameters = {}): unknown[] {
    try {
      const statement = this.#statement(sql);
      const rows = statement.prepared.all(bindings(statement, parameters));
      for (const row of rows) assertSafeIntegers(statement, row);
      return rows;
    } catch (error) {
      throw databaseFailureFrom(error) ?? error;
    }
  }

  /** Like `all`, but returns to JavaScript with every row, where a terminated thread ends. */
  allByRow(sql: string, parameters: SqlParameters = {}): unknown[] {
    try {
      const statement = this.#statement(sql);
      const rows: unknown[] = [];
      for (const row of statement.prepared.iterate(bindings(statement, parameters))) {
        assertSafeIntegers(statement, row);
        rows.push(row);
      }
      return rows;
    } catch (error) {
      throw databaseFailureFrom(error) ?? error;
    }
  }

  run(sql: string, parameters: SqlParameters = {}): number {
    try {
      const statement = this.#statement(sql);
      return statement.prepared.run(bindings(statement, parameters)).changes;
    } catch (error) {
      throw databaseFailureFrom(error) ?? error;
    }
  }

  /** Runs several statements without parameters. */
  executeScript(script: string): void {
    try {
      this.#database.exec(script);
    } catch (error) {
      throw databaseFailureFrom(error) ?? error;
    }
  }

  pragma(name: string): unknown {
    return this.#database.pragma(name, { simple: true });
  }

  /** Keeps temporary sorts in memory from now on. Call it after migrations, whose sorts may not fit. */
  sortInMemory(): void {
    this.#database.pragma('temp_store = MEMORY');
  }

  /** From now on, a commit may not be on disk yet when it returns; see `CommitLog`. */
  leaveSyncToLog(): void {
    this.#database.pragma('synchronous = NORMAL');
  }

  /** Leaves checkpoints to another connection from now on. */
  stopCheckpoints(): void {
    this.#database.pragma('wal_autocheckpoint = 0');
  }

  /** How far the write-ahead log is written since it was begun again, in bytes. Takes some 10 µs. */
  get logBytes(): number {
    const [state] = this.#database.pragma('wal_checkpoint(NOOP)') as { log: number }[];
    return (state?.log ?? 0) * (Number(this.pragma('page_size')) + FRAME_HEADER_BYTES);
  }

  /**
   * Copies the write-ahead log into the file. `PASSIVE` copies what no reader needs, and delays nobody; `RESTART` also
   * waits for other connections, for at most the busy timeout each.
   */
  checkpoint(mode: 'PASSIVE' | 'RESTART'): WalState {
    try {
      const [state] = this.#database.pragma(`wal_checkpoint(${mode})`) as WalCheckpoint[];
      const { busy = 1, log = 0, checkpointed = 0 } = state ?? {};
      return { logPages: log, copiedPages: checkpointed, isReset: busy === 0 && log === checkpointed };
    } catch (error) {
      throw databaseFailureFrom(error) ?? error;
    }
  }

  /** Writes the first frame of a log that was reset, and waits until it is on disk. It changes nothing. */
  beginLog(): void {
    try {
      this.#database.pragma(`user_version = ${Number(this.pragma('user_version'))}`);
    } catch (error) {
      throw databaseFailureFrom(error) ?? error;
    }
  }

  /** Outside of transactions only. */
  set foreignKeys(state: 'ON' | 'OFF') {
    this.#database.pragma(`foreign_keys = ${state}`);
  }

  set busyTimeoutMs(milliseconds: number) {
    this.#database.pragma(`busy_timeout = ${milliseconds}`);
  }

  close(): void {
    this.#database.close();
  }

  #configure(cacheKibibytes: number): void {
    this.#database.pragma(`page_size = ${PAGE_BYTES}`);
    this.#database.pragma('journal_mode = WAL');
    // better-sqlite3 is compiled to default to NORMAL in WAL mode, where a power cut may lose a commit.
    this.#database.pragma('synchronous = FULL');
    this.foreignKeys = 'ON';
    this.#database.pragma(`wal_autocheckpoint = ${CHECKPOINT_BYTES / Number(this.pragma('page_size'))}`);
    this.#database.pragma(`journal_size_limit = ${LOG_BYTES_KEPT}`);
    this.#database.pragma(`cache_size = -${cacheKibibytes}`);
  }

  #statement(sql: string): Statement {
    const statement = this.#statements.get(sql) ?? this.#prepare(sql);
    if (!statement.isReadonly) this.#changeCount += 1;
    return statement;
  }

  #prepare(sql: string): Statement {
    const { text, names } = toPositionalSql(sql);
    const prepared = this.#database.prepare<unknown[]>(text);
    const columns = prepared.reader ? prepared.columns() : [];
    const numeric = columns.filter(({ type }) => type !== 'TEXT').map(({ name }) => name);
    const statement = { names, prepared, isReadonly: prepared.readonly, numeric };
    if (this.#database.readonly && !statement.isReadonly) throw new Error('A read must not write');
    if (this.#statements.size < STATEMENTS_MAX) this.#statements.set(sql, statement);
    return statement;
  }
}

// better-sqlite3 binds every number as REAL: 7 / @n would be a fraction, and a TEXT column would store '2.0'.
function bindings({ names }: Statement, parameters: SqlParameters): unknown[] {
  const values = new Array<unknown>(names.length);
  for (let place = 0; place < names.length; place++) {
    const value = parameterOf(names[place] as string, parameters);
    values[place] = typeof value === 'number' ? BigInt(value) : value;
  }
  return values;
}

// A 64-bit integer above 2^53 arrives rounded, so it fails this check.
function assertSafeIntegers({ numeric }: Statement, row: unknown): void {
  for (const column of numeric) {
    const value = (row as Record<string, unknown>)[column];
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      if (Number.isInteger(value)) throw new NumberOutOfRange();
      throw new Error(`Column ${column} holds ${value}, which is not a safe integer`);
    }
  }
}
