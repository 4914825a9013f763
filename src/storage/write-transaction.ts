import {
  type ClaimKey,
  DatabaseFailure,
  type LastWork,
  type SqlParameters,
  type Transaction,
  type Unit,
} from './database.ts';
import { createReadTransaction } from './read-transaction.ts';

/** What a driver implements for one unit of work; `WriteTransaction` adds the rules that both engines share. */
export interface Session {
  get(sql: string, parameters: SqlParameters): unknown;
  all(sql: string, parameters: SqlParameters): unknown;
  run(sql: string, parameters: SqlParameters): number | Promise<number>;
  /** The promise that the next query waits for, so that other requests have their turn; absent where queries take none. */
  nextTurn?(): Promise<void> | undefined;
  /** Absent where a single writer makes claims needless. */
  claim?(keys: () => readonly ClaimKey[]): Promise<void>;
  /** Runs a lookup and keeps its result for the next identical `get` or `all`; absent where that saves nothing. */
  remember?(method: 'get' | 'all', sql: string, parameters: SqlParameters): Promise<unknown>;
}

const NOTHING_TO_CLAIM = Promise.resolve();

/** What one call of `Transaction.last` deferred. */
export interface LastItem {
  key: string;
  work: LastWork<unknown>;
  added: unknown;
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
  readonly #last: LastItem[] = [];
  #unawaited: Promise<unknown>[] = [];

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
    return this.#session.claim?.(keys).catch((error) => this.#rethrow(error)) ?? NOTHING_TO_CLAIM;
  }

  lookAhead(start: (tx: Transaction) => Promise<unknown>): void {
    const session = this.#session;
    if (session.remember === undefined || this.#refusal() !== undefined) return;
    const reading = createReadTransaction({
      get: (sql, parameters) => session.remember?.('get', sql, parameters),
      all: (sql, parameters) => session.remember?.('all', sql, parameters),
    });
    // the caller that asks for the result gets the error
    start(reading).catch(() => {});
  }

  unawaited(write: Promise<unknown>): void {
    write.catch(() => {});
    this.#unawaited.push(write);
  }

  async settled(): Promise<void> {
    while (this.#unawaited.length > 0) {
      const writes = this.#unawaited;
      this.#unawaited = [];
      for (const write of writes) await write;
    }
  }

  /** What an unawaited write makes of the failed query that ended the unit, if it was the write's; otherwise the error. */
  async reasonFor(error: unknown): Promise<unknown> {
    if (this.#failure?.error !== error) return error;
    try {
      await this.settled();
    } catch (reason) {
      return reason;
    }
    return error;
  }

  /** True while nobody knows whether all writes of the unit have succeeded. */
  get isUnsettled(): boolean {
    return this.#unawaited.length > 0;
  }

  last<Added>(key: string, work: LastWork<Added>, added: Added): void {
    this.#last.push({ key, work: work as LastWork<unknown>, added });
  }

  /** The `last` work of the unit. */
  get leftToEnd(): readonly LastItem[] {
    return this.#last;
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
    const turn = this.#session.nextTurn?.();
    if (turn !== undefined) return turn.then(() => this.#query(method, sql, parameters));
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

/**
 * Runs the `last` work of one or more units: in the order of the keys, once for each key and function. The first query
 * of each starts before the next begins, so that they also lock their first rows in this order. Settles before the
 * writes that the work does not wait for.
 */
export async function runLast(tx: Transaction, items: readonly LastItem[]): Promise<void> {
  if (items.length === 0) return;
  const byKey = Map.groupBy(items, ({ key }) => key);
  const inOrder = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const running = inOrder.flatMap(([, ofKey]) =>
    [...Map.groupBy(ofKey, ({ work }) => work)].map(([work, ofWork]) =>
      work(
        tx,
        ofWork.map(({ added }) => added),
      ),
    ),
  );
  await Promise.all(running);
}

/**
 * Runs a unit to its end, including its `last` work.
 *
 * @throws the unit's error, or that of a query whose error the unit swallowed; the caller must not commit then
 */
export async function runWhole<T>(unit: Unit<T>, transaction: WriteTransaction): Promise<T> {
  const outcome = await outcomeOf(unit, transaction);
  if (!outcome.ok) throw outcome.error;
  return outcome.value;
}

/** Runs a unit with its `last` work, and ends it. Never rejects. */
export function outcomeOf<T>(unit: Unit<T>, transaction: WriteTransaction): Promise<UnitOutcome<T>> {
  return outcomeWithout(async (tx) => {
    const value = await unit(tx);
    if (transaction.isUnsettled) await transaction.settled();
    await runLast(transaction, transaction.leftToEnd);
    return value;
  }, transaction);
}

/** Runs a unit and ends it; the caller must run its `last` work before the commit. Never rejects. */
export async function outcomeWithout<T>(unit: Unit<T>, transaction: WriteTransaction): Promise<UnitOutcome<T>> {
  try {
    const value = await unit(transaction);
    if (transaction.isUnsettled) await transaction.settled();
    return transaction.conclude({ ok: true, value });
  } catch (error) {
    return transaction.conclude({ ok: false, error: await transaction.reasonFor(error) });
  }
}
