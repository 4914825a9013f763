/**
 * The database contract: one SQL text per query, run by two drivers (`sqlite.ts`, `postgres.ts`).
 *
 * SQL names its parameters `@name`; a statement is translated once and cached by its text. Columns are TEXT, INTEGER,
 * BIGINT or BYTEA; integers come back as safe integers or the query throws; times are epoch milliseconds, truth is 0 or
 * 1, lists and maps are JSON text.
 */

export type SqlValue = string | number | Buffer | null;
export type SqlParameters = Readonly<Record<string, SqlValue>>;

declare const isClaimKey: unique symbol;

/** The name of what units of work wait for each other about. Only `src/app/claims.ts` makes them: the list is closed. */
export type ClaimKey = string & { readonly [isClaimKey]: true };

/** The queries of one unit of work, or of one read. Useless after its unit ended. */
export interface Transaction {
  /** The first row, or undefined. */
  get<Row>(sql: string, parameters?: SqlParameters): Promise<Row | undefined>;
  all<Row>(sql: string, parameters?: SqlParameters): Promise<Row[]>;
  /** Returns how many rows were changed. */
  run(sql: string, parameters?: SqlParameters): Promise<number>;
  /**
   * Makes every other unit that claims one of these keys wait until this one ends; what it then reads includes what
   * this one wrote. Call it before looking. PostgreSQL takes sorted advisory locks; SQLite has one writer, needs nothing
   * and does not even ask for the keys.
   */
  claim(keys: () => readonly ClaimKey[]): Promise<void>;
  /**
   * Runs `work`; when it throws, takes back what it wrote and throws on. After a `DatabaseFailure` the whole unit is
   * lost: do not catch it.
   */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
}

export type Unit<T> = (tx: Transaction) => Promise<T>;

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /** How many migrations the schema has had; always all that this program knows. */
  readonly schemaVersion: number;
  /**
   * Runs a unit of work and settles after its commit; also a rejection waits for it, because it may rest on a row that
   * a neighbour had not committed yet. A unit awaits nothing but its own queries and may run more than once.
   *
   * @throws ServiceError `UNAVAILABLE` when the database is full, locked or gone; whatever the unit throws otherwise
   */
  write<T>(unit: Unit<T>): Promise<T>;
  /** Reads committed rows only, on a connection of its own. */
  read<T>(unit: Unit<T>): Promise<T>;
  /** What the engine answers of its durability: `FULL` and `on` are what they must be; anything else is not safe. */
  durability(): Promise<{ synchronous: string }>;
  /** Waits for units under way. */
  close(): Promise<void>;
}

/**
 * The engine failed, not the query: full, locked, I/O, connection, serialization, deadlock. `retryable`: the same unit
 * may succeed when run again at once.
 */
export class DatabaseFailure extends Error {
  readonly retryable: boolean;

  constructor(message: string, retryable: boolean, cause: unknown) {
    super(message, { cause });
    this.name = 'DatabaseFailure';
    this.retryable = retryable;
  }
}
