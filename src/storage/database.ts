/**
 * The database contract: one SQL text per query, run by two drivers (`sqlite.ts`, `postgres.ts`).
 *
 * SQL names its parameters `@name`; a statement is translated once and cached by its text. Columns are TEXT, INTEGER,
 * BIGINT or BYTEA; integers are returned as safe integers or the query throws; times are epoch milliseconds, booleans 0
 * or 1, lists and maps JSON text.
 */

export type SqlValue = string | number | Buffer | null;
export type SqlParameters = Readonly<Record<string, SqlValue>>;

declare const isClaimKey: unique symbol;

/** A lock key of units of work. Only `src/app/claims.ts` creates them, so that the list is complete. */
export type ClaimKey = string & { readonly [isClaimKey]: true };

/** The queries of one unit of work, or of one read. Refuses queries after its unit ended. */
export interface Transaction {
  /** The first row, or undefined. */
  get<Row>(sql: string, parameters?: SqlParameters): Promise<Row | undefined>;
  all<Row>(sql: string, parameters?: SqlParameters): Promise<Row[]>;
  /** Returns the number of changed rows. */
  run(sql: string, parameters?: SqlParameters): Promise<number>;
  /**
   * Makes every other unit that claims one of these keys wait until this one ends, and then read what this one wrote.
   * Call it before the reads it protects. PostgreSQL takes sorted advisory locks; SQLite has a single writer, so it takes
   * none and never calls `keys`.
   */
  claim(keys: () => readonly ClaimKey[]): Promise<void>;
  /**
   * Runs `work` when the unit has succeeded, before its commit, in the order of the keys. For rows that many units change:
   * they are locked only while committing, after every claim, and in one order, so that units cannot deadlock on them.
   */
  last(key: string, work: () => Promise<void>): void;
}

export type Unit<T> = (tx: Transaction) => Promise<T>;

export interface ReportOptions {
  /** For the whole unit; 4 s by default. A command on SQLite, where a report delays nobody, has none. */
  deadlineMs?: number;
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /** The number of applied migrations: all that this program knows. */
  readonly schemaVersion: number;
  /**
   * Runs a unit of work and settles after its commit. A rejection waits for the commit, too, because it may depend on a
   * row that another unit of the batch has not committed yet. A unit awaits nothing but its own queries and may run more
   * than once.
   *
   * @throws ServiceError `UNAVAILABLE` when the database is full, locked or unreachable; otherwise whatever the unit throws
   */
  write<T>(unit: Unit<T>): Promise<T>;
  /** Reads committed rows only, on a connection of its own. */
  read<T>(unit: Unit<T>): Promise<T>;
  /**
   * Reads for a list, a report or an audit, which may take long: other work does not wait for it. Each query sees what is
   * committed when it runs; those of several reports run in turn.
   *
   * @throws ServiceError `UNAVAILABLE` when it takes longer than `deadlineMs`; the message says how to narrow it
   */
  report<T>(unit: Unit<T>, options?: ReportOptions): Promise<T>;
  /** The engine's durability setting: `FULL` and `on` are safe, anything else is not. */
  durability(): Promise<{ synchronous: string }>;
  /** Waits for units in flight. */
  close(): Promise<void>;
}

/**
 * The engine failed, not the query: full, locked, I/O, connection, serialization, deadlock. `retryable`: an immediate
 * retry of the same unit may succeed.
 */
export class DatabaseFailure extends Error {
  readonly retryable: boolean;

  constructor(message: string, retryable: boolean, cause: unknown) {
    super(message, { cause });
    this.name = 'DatabaseFailure';
    this.retryable = retryable;
  }
}
