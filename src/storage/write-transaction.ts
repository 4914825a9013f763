import { type ClaimKey, DatabaseFailure, type SqlParameters, type Transaction } from './database.ts';

/** What a driver implements for one unit of work; `WriteTransaction` adds the rules that both engines share. */
export interface Session {
  get(sql: string, parameters: SqlParameters): unknown;
  all(sql: string, parameters: SqlParameters): unknown;
  run(sql: string, parameters: SqlParameters): number | Promise<number>;
  claim(keys: () => readonly ClaimKey[]): Promise<void>;
}

/** How a unit of work ended; not reported before the commit. */
export type UnitOutcome<T> = { ok: true; value: T } | { ok: false; error: unknown };

/**
 * The queries of one unit of work, with the same rules on both engines: after a failed query the unit cannot succeed, as
 * on PostgreSQL; after its end, queries are refused.
 */
export class WriteTransaction implements Transaction {
  readonly #session: Session;
  /** The error of the first query that failed. */
  #failure: { error: unknown } | undefined;
  #endedBecause: string | undefined;
  readonly #last: { key: string; work: () => Promise<void> }[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  get<Row>(sql: string, parameters: SqlParameters = {}): Promise<Row | undefined> {
    return this.#query('get', sql, parameters) as Promise<Row | undefined>;
  }

  all<Row>(sql: string, parameters: SqlParameters = {}): Promise<Row[]> {
    return this.#query('all', sql, parameters) as Promise<Row[]>;
  }

  run(sql: string, parameters: SqlParameters = {}): Promise<number> {
    return this.#query('run', sql, parameters) as Promise<number>;
  }

  claim(keys: () => readonly ClaimKey[]): Promise<void> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    return this.#session.claim(keys).catch((error) => this.#rethrow(error));
  }

  last(key: string, work: () => Promise<void>): void {
    this.#last.push({ key, work });
  }

  /** Runs what was left to the end. */
  async runLast(): Promise<void> {
    const inOrder = this.#last.toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
    for (const { work } of inOrder) await work();
  }

  /**
   * Ends the unit: every later query throws; `because` completes the sentence "This unit of work …". Returns the unit's
   * own outcome, unless the unit swallowed the error of a query, or the database itself failed.
   */
  conclude<T>(outcome: UnitOutcome<T>, because = 'has ended'): UnitOutcome<T> {
    this.#endedBecause = because;
    const failure = this.#failure;
    const isOverruled = failure !== undefined && (outcome.ok || failure.error instanceof DatabaseFailure);
    return isOverruled ? { ok: false, error: failure.error } : outcome;
  }

  /** Not `async`, to save promises: SQLite answers synchronously, and a sale takes a dozen queries. */
  #query(method: 'get' | 'all' | 'run', sql: string, parameters: SqlParameters): Promise<unknown> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    try {
      const result = this.#session[method](sql, parameters);
      return result instanceof Promise ? result.catch((error) => this.#rethrow(error)) : Promise.resolve(result);
    } catch (error) {
      return Promise.reject(this.#recordFailure(error));
    }
  }

  /** Why no further query may run; undefined when one may. */
  #refusal(): unknown {
    if (this.#endedBecause !== undefined) return new Error(`This unit of work ${this.#endedBecause}`);
    return this.#failure?.error;
  }

  #recordFailure(error: unknown): unknown {
    this.#failure ??= { error };
    return error;
  }

  #rethrow(error: unknown): never {
    throw this.#recordFailure(error);
  }
}
