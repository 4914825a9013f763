/**
 * The database contract: one SQL text per query, run by two drivers (`sqlite/`, `postgres/`).
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
   * Call it before the reads it protects, with every key at once where possible, and claim every unique value that the unit
   * may insert. PostgreSQL takes sorted advisory locks; SQLite has a single writer, so it takes none and never calls `keys`.
   */
  claim(keys: () => readonly ClaimKey[]): Promise<void>;
  /**
   * Starts look-ups that the unit asks for again, with the same parameters, before it writes or claims anything else. On
   * PostgreSQL they share a round trip with the unit's next query; SQLite, which has none, looks up when asked.
   */
  lookAhead(start: (tx: Transaction) => Promise<unknown>): void;
  /**
   * A write whose answer the unit does not wait for. When it fails, so does the unit, before anything is committed. It must
   * have sent its queries when it is passed: the unit may end before it does.
   */
  unawaited(write: Promise<unknown>): void;
  /** Settles when everything unawaited has succeeded. @throws the first error */
  settled(): Promise<void>;
  /**
   * Runs `work` when the unit has succeeded, before its commit, in the order of the keys. For rows that many units change:
   * they are locked only while committing, after every claim, and in one order, so that units cannot deadlock on them.
   *
   * Units that share a commit may share this as well: then `work` runs once, with what each of them `added` under this key.
   * Pass the same function each time; it has its own transaction, and a unit that reads such rows runs `alone`.
   */
  last<Added>(key: string, work: LastWork<Added>, added: Added): void;
}

/** What `Transaction.last` runs. */
export type LastWork<Added> = (tx: Transaction, added: readonly Added[]) => Promise<void>;

export type Unit<T> = (tx: Transaction) => Promise<T>;

export interface WriteOptions {
  /**
   * True for a unit that may take long, relies on row locks instead of claims, or reads what `last` work writes. It never
   * shares a transaction with other units on PostgreSQL. On SQLite, where units run one after the other, it runs after the
   * `last` work of those before it.
   */
  alone?: boolean;
}

export interface ReportOptions {
  /** For the whole unit; 4 s by default. A command on SQLite, where a report delays nobody, has none. */
  deadlineMs?: number;
  /**
   * For what is only shown: a replica may answer that is a little behind, but has everything that was committed before this
   * moment of `performance.now()`. Nothing may be decided by such a report.
   */
  replicaSince?: number;
}

export interface SnapshotOptions {
  /**
   * For queries that join large parts of tables: PostgreSQL reads them whole, even before it has statistics, which would have
   * it compare each row with each. SQLite always looks up.
   */
  joinsWhole?: boolean;
}

/** What the database occupies, in bytes. */
export interface DiskUse {
  dataBytes: number;
  /** SQLite's write-ahead log; null on PostgreSQL, which has one for all of its databases. */
  logBytes: number | null;
  /** Free on the disk of the file; null on PostgreSQL, whose disk only its server knows. */
  freeBytes: number | null;
  /** When `refbridge backup` last completed a copy, 0 for never; null on PostgreSQL, which has tools of its own. */
  lastBackupAt: number | null;
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /** The number of applied migrations: all that this program knows. */
  readonly schemaVersion: number;
  /** True when reports with `replicaSince` may be read from another server. */
  readonly hasReplica?: boolean;
  /**
   * Runs a unit of work and settles after its commit, which it may share with other units. A rejection waits for the
   * commit, too, because it may depend on a row that another unit of the batch has not committed yet. A unit awaits nothing
   * but its own queries and may run more than once.
   *
   * @throws ServiceError `UNAVAILABLE` when the database is full, locked or unreachable; otherwise whatever the unit throws
   */
  write<T>(unit: Unit<T>, options?: WriteOptions): Promise<T>;
  /** Reads committed rows only, on a connection of its own. */
  read<T>(unit: Unit<T>): Promise<T>;
  /**
   * Reads for a list, a report or an audit, which may take long: other work does not wait for it. Each query sees what is
   * committed when it runs; those of several reports run in turn.
   *
   * @throws ServiceError `UNAVAILABLE` when it takes longer than `deadlineMs`; the message says how to narrow it
   */
  report<T>(unit: Unit<T>, options?: ReportOptions): Promise<T>;
  /**
   * Reads one committed state for as long as `work` takes, on a connection of its own; writes go on meanwhile. `work` may
   * await anything. Of a walk in pages, each query is planned in the order of an index and not sorted.
   *
   * @throws ServiceError `UNAVAILABLE` when the connection is lost; otherwise whatever `work` throws
   */
  snapshot<T>(work: Unit<T>, options?: SnapshotOptions): Promise<T>;
  /**
   * One transaction of any length, on a connection of its own: all of `work` is committed, or nothing. `work` may await
   * anything. Only for a command: on SQLite every other writer waits, so that no server may be running.
   *
   * @throws ServiceError `UNAVAILABLE` when the database is full, locked or unreachable; otherwise whatever `work` throws
   */
  bulk<T>(work: Unit<T>): Promise<T>;
  /** The engine's durability setting: `FULL` and `on` are safe, anything else is not. */
  durability(): Promise<{ synchronous: string }>;
  /** @throws ServiceError `UNAVAILABLE` */
  diskUse(): Promise<DiskUse>;
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
