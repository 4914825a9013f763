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

/** How a key begins for which units wait before they lock others, also when they start again. */
export const FIRST = 'first ';

/** The queries of one unit of work, or of one read. Refuses queries after the unit has ended. */
export interface Transaction {
  /** The first row, or undefined. */
  get<Row>(sql: string, parameters?: SqlParameters): Promise<Row | undefined>;
  all<Row>(sql: string, parameters?: SqlParameters): Promise<Row[]>;
  /** Returns the number of changed rows. */
  run(sql: string, parameters?: SqlParameters): Promise<number>;
  /**
   * Makes every other unit that claims one of these keys wait until this one ends; the waiting unit then reads what
   * this one wrote. Call it before the reads it protects, with every key at once where possible, and claim every unique
   * value that the unit may insert. PostgreSQL takes sorted advisory locks; a unit that holds keys never waits for
   * more, but starts again with all of them. SQLite has a single writer, so it takes none and never calls `keys`.
   */
  claim(keys: () => readonly ClaimKey[]): Promise<void>;
  /**
   * Starts lookups that the unit will repeat, with the same parameters, before it writes or claims anything else. On
   * PostgreSQL they share a round trip with the unit's next query; SQLite has no round trips and looks up when asked.
   */
  lookAhead(start: (tx: Transaction) => Promise<unknown>): void;
  /**
   * A write whose result the unit does not wait for. When the database refuses it, the unit fails and nothing is
   * committed. Nothing else may decide about its success, such as the number of changed rows: the commit may be sent
   * with it. Its queries must already be sent when it is passed in, because the unit may end before it does.
   */
  unawaited(write: Promise<unknown>): void;
  /** Settles when every unawaited write has succeeded. @throws the first error */
  settled(): Promise<void>;
  /**
   * Runs `work` after the unit has succeeded and before its commit, in the order of the keys. For rows that many units
   * change: they are locked only while committing, after every claim and in one order, so units cannot deadlock on
   * them.
   *
   * Units that share a commit may share this too: `work` then runs once, with everything they `added` under this key.
   * Pass the same function each time. It has its own transaction; a unit that reads such rows runs `alone`.
   */
  last<Added>(key: string, work: LastWork<Added>, added: Added): void;
}

/** The work that `Transaction.last` runs. What it does not wait for can be sent with the commit; see `unawaited`. */
export type LastWork<Added> = (tx: Transaction, added: readonly Added[]) => Promise<void>;

export type Unit<T> = (tx: Transaction) => Promise<T>;

export interface WriteOptions {
  /**
   * True for a unit that may take long, relies on row locks instead of claims, or reads what `last` work writes. On
   * PostgreSQL it never shares a transaction with other units. On SQLite, where units run one after the other, it runs
   * after the `last` work of the units before it.
   */
  alone?: boolean;
}

export interface ReportOptions {
  /** For the whole unit; 4 s by default. A command on SQLite has none, because its report delays nobody. */
  deadlineMs?: number;
  /**
   * For results that are only displayed: a replica may answer. It may lag a little, but has everything that was
   * committed before this moment of `performance.now()`. Never base a decision on such a report.
   */
  replicaSince?: number;
}

/**
 * How PostgreSQL joins many rows; SQLite always looks up. `whole`: it reads tables whole, even before it has statistics,
 * which would have it compare each row with each. `each`: it may look up row by row, which costs as much as the rows
 * that are needed, however many others there are.
 */
export type Joins = 'whole' | 'each';

export interface SnapshotOptions {
  /** For queries that join many rows and may take any time. Without it, a query that takes a minute fails. */
  joins?: Joins;
}

/** What the database occupies, in bytes. */
export interface DiskUse {
  dataBytes: number;
  /** SQLite's write-ahead log; null on PostgreSQL, where all databases share one. */
  logBytes: number | null;
  /** Free space on the file's disk; null on PostgreSQL, where only the server knows. */
  freeBytes: number | null;
  /** When `refbridge backup` last completed a copy, 0 for never; null on PostgreSQL, which has its own tools. */
  lastBackupAt: number | null;
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /** The number of applied migrations, always all of those in this program. */
  readonly schemaVersion: number;
  /** True when reports with `replicaSince` may be read from another server. */
  readonly hasReplica?: boolean;
  /**
   * Runs a unit of work and settles after its commit, which it may share with other units. A rejection also waits for
   * the commit, because it may depend on a row of another unit in the batch that is not committed yet. A unit awaits
   * nothing but its own queries and may run more than once.
   *
   * @throws ServiceError `UNAVAILABLE` when the database is full, locked or unreachable, and nothing was stored;
   *   `OUTCOME_UNKNOWN` when it failed during the commit; otherwise whatever the unit throws
   */
  write<T>(unit: Unit<T>, options?: WriteOptions): Promise<T>;
  /** Reads committed rows only, on its own connection. */
  read<T>(unit: Unit<T>): Promise<T>;
  /**
   * Reads for a list, a report or an audit, which may take long, so other work does not wait for it. Each query sees
   * what is committed when it runs; the queries of several reports take turns.
   *
   * @throws ServiceError `UNAVAILABLE` when it takes longer than `deadlineMs`; the message says how to narrow it
   */
  report<T>(unit: Unit<T>, options?: ReportOptions): Promise<T>;
  /**
   * Reads one committed state for as long as `work` takes, on its own connection; writes continue meanwhile. `work` may
   * await anything. Queries that walk in pages are planned to follow an index, without a sort.
   *
   * @throws ServiceError `UNAVAILABLE` when the connection is lost; otherwise whatever `work` throws
   */
  snapshot<T>(work: Unit<T>, options?: SnapshotOptions): Promise<T>;
  /**
   * One transaction of any length, on its own connection: all of `work` is committed, or nothing. `work` may await
   * anything. Only for a command while no server runs: on SQLite every other writer waits.
   *
   * @throws ServiceError `UNAVAILABLE` when the database is full, locked or unreachable; `OUTCOME_UNKNOWN` when it
   *   failed during the commit; otherwise whatever `work` throws
   */
  bulk<T>(work: Unit<T>): Promise<T>;
  /** The engine's durability setting: `FULL` and `on` are safe, anything else is not. */
  durability(): Promise<{ synchronous: string }>;
  /** @throws ServiceError `UNAVAILABLE` */
  diskUse(): Promise<DiskUse>;
  /**
   * About how many rows a table has, from PostgreSQL's statistics. Null without any, and on SQLite.
   *
   * @throws ServiceError `UNAVAILABLE`
   */
  estimateRows(table: 'ledger_entries'): Promise<number | null>;
  /** Waits for units in flight. */
  close(): Promise<void>;
}

/**
 * True for the error of a write because this table already has a row with a unique value of the new one. Name the
 * table: on PostgreSQL, an unawaited write behind one that failed fails with the same error.
 */
export function isTaken(error: unknown, table: string): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  if (error.code === '23505') return 'table' in error && error.table === table;
  const isOfSqlite = error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
  return isOfSqlite && error.message.includes(` ${table}.`);
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
