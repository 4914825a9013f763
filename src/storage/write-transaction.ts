import { type ClaimKey, DatabaseFailure, type SqlParameters, type Transaction } from './database.ts';

/** What a driver does for one unit of work; `WriteTransaction` adds the rules that both engines share. */
export interface Session {
  get(sql: string, parameters: SqlParameters): unknown;
  all(sql: string, parameters: SqlParameters): unknown;
  run(sql: string, parameters: SqlParameters): number | Promise<number>;
  claim(keys: () => readonly ClaimKey[]): Promise<void>;
}

/** How a unit of work ended, before anybody is told. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: unknown };

/**
 * The queries of one unit of work, with the same rules on both engines: a failed query outside a savepoint dooms the
 * unit, as it does on PostgreSQL; a `DatabaseFailure` dooms it wherever it happened; nothing works after the end.
 */
export class WriteTransaction implements Transaction {
  readonly #session: Session;
  #depth = 0;
  #failure: { error: unknown; final: boolean } | undefined;
  #endedBecause: string | undefined;

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
    return this.#session.claim(keys).catch((error) => this.#fail(error));
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.#depth += 1;
    const level = this.#depth;
    try {
      await this.run(`SAVEPOINT level_${level}`);
      return await this.#finishSavepoint(level, work);
    } finally {
      this.#depth = level - 1;
    }
  }

  /**
   * Ends the unit: every later query throws; `because` ends the sentence "This unit of work …". Returns what the unit
   * comes to: its own outcome, unless a query failed and it made a success of that, or the database itself failed.
   */
  conclude<T>(outcome: Outcome<T>, because = 'has ended'): Outcome<T> {
    this.#endedBecause = because;
    const failure = this.#failure;
    return failure && (outcome.ok || failure.final) ? { ok: false, error: failure.error } : outcome;
  }

  /** One promise and no `async`: SQLite has answered already, and a sale takes a dozen queries. */
  #query(method: 'get' | 'all' | 'run', sql: string, parameters: SqlParameters): Promise<unknown> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    try {
      const result = this.#session[method](sql, parameters);
      return result instanceof Promise ? result.catch((error) => this.#fail(error)) : Promise.resolve(result);
    } catch (error) {
      return Promise.reject(this.#failed(error));
    }
  }

  /** Why no further query may run, where that is so. */
  #refusal(): unknown {
    if (this.#endedBecause !== undefined) return new Error(`This unit of work ${this.#endedBecause}`);
    return this.#failure?.error;
  }

  #failed(error: unknown): unknown {
    this.#failure ??= { error, final: error instanceof DatabaseFailure };
    return error;
  }

  #fail(error: unknown): never {
    throw this.#failed(error);
  }

  async #finishSavepoint<T>(level: number, work: () => Promise<T>): Promise<T> {
    try {
      const value = await work();
      this.#assertInnermost(level);
      await this.run(`RELEASE SAVEPOINT level_${level}`);
      return value;
    } catch (error) {
      if (this.#failure?.final || this.#endedBecause !== undefined) throw error;
      this.#failure = undefined;
      await this.run(`ROLLBACK TO SAVEPOINT level_${level}`);
      await this.run(`RELEASE SAVEPOINT level_${level}`);
      throw error;
    }
  }

  // Two savepoints at once would take back each other's rows.
  #assertInnermost(level: number): void {
    if (this.#depth === level) return;
    this.#failure = { error: new Error('Savepoints of one unit of work ran at the same time'), final: true };
    throw this.#failure.error;
  }
}
