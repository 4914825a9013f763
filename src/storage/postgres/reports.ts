import pg from 'pg';
import type { SqlParameters, Unit } from '../database.ts';
import { createReadTransaction, inSequence } from '../read-transaction.ts';
import { noReportConnection, REPORT_DEADLINE_MS, reportTooSlow, withDeadline } from '../report-deadline.ts';
import type { TimedQuery } from './client.ts';
import { connectionFailure, databaseFailureFrom, isStatementTimeout } from './failure.ts';
import { Mutex } from './mutex.ts';
import { WITHOUT_JIT } from './session.ts';
import { PostgresStatements } from './statements.ts';
import { WatchingClient } from './watching-client.ts';
import { withRetries } from './write.ts';

/** Few, so that slow reports leave the server's CPUs to everything else. */
export const REPORT_CONNECTIONS_MAX = 2;
/** How much longer than the server's own timeout this side waits for an answer. */
const ANSWER_GRACE_MS = 500;
/** How long a query with a longer deadline than a list waits for the one connection that such queries may use. */
const LONG_WAIT_MAX_MS = 5_000;
/** What pg-pool throws when no connection became free in time. */
const NONE_FREE = 'timeout exceeded when trying to connect';

/**
 * No page needs a whole table, however small its account. A list is planned each time, for its page size and filters: where
 * accounts are small on average, the plan for any values seems to be cheaper. A bitmap scan would read all rows that a
 * filter finds, and sort them; the indexes of lists are in the order of the page.
 */
const OF_LISTS = ['enable_seqscan = off', 'enable_bitmapscan = off', 'plan_cache_mode = force_custom_plan'];
const OF_WALKS = ['enable_seqscan = off', 'enable_bitmapscan = DEFAULT', 'plan_cache_mode = DEFAULT'];

/** No connection of the pool became free in time. */
export class NoneFree extends Error {}

/**
 * Runs reports on their own pool, query by query, so that a report of many queries does not delay the others. Queries
 * with a longer deadline than a list take turns on one connection: where the network loses their answers, they keep
 * connections until their deadline, which must not be all of them.
 */
export class PostgresReports {
  readonly #pool: pg.Pool;
  readonly #statements: PostgresStatements;
  /** The deadline for which each connection is set up. */
  readonly #deadlines = new WeakMap<pg.PoolClient, number>();
  readonly #isPooled: boolean;
  readonly #leavesStandbys: boolean;
  readonly #longQueries = new Mutex();

  /**
   * @param pool of read-only connections
   * @param isPooled true for a pooler in transaction mode: each query has its own transaction, with its timeout
   * @param leavesStandbys true where the address is to lead to the primary; `pool` has `WatchingClient`s
   */
  constructor(pool: pg.Pool, { isPooled = false, leavesStandbys = false } = {}) {
    this.#pool = pool;
    this.#statements = new PostgresStatements({ isPooled });
    this.#isPooled = isPooled;
    this.#leavesStandbys = leavesStandbys;
  }

  /** @throws ServiceError `UNAVAILABLE` at the deadline, or when the database fails; otherwise whatever the unit throws */
  async run<T>(unit: Unit<T>, deadlineMs: number): Promise<T> {
    try {
      return await this.#attempt(unit, deadlineMs, withRetries);
    } catch (error) {
      throw error instanceof NoneFree ? noReportConnection() : error;
    }
  }

  /**
   * One attempt.
   *
   * @throws ServiceError `UNAVAILABLE` at the deadline; DatabaseFailure; NoneFree; otherwise whatever the unit throws
   */
  runOnce<T>(unit: Unit<T>, deadlineMs: number): Promise<T> {
    return this.#attempt(unit, deadlineMs, (work) => work());
  }

  #attempt<T>(unit: Unit<T>, deadlineMs: number, repeat: typeof withRetries): Promise<T> {
    let stopReason: Error | undefined;
    const run = async (sql: string, parameters: SqlParameters) => {
      const { query } = this.#statements.queryFor(sql, parameters);
      if (stopReason) throw stopReason;
      const client = await this.#connect();
      let broken = false;
      try {
        // it may have waited for the connection until after its deadline
        if (stopReason) throw stopReason;
        await this.#limit(client, deadlineMs);
        const limited: TimedQuery = { ...query, query_timeout: deadlineMs + ANSWER_GRACE_MS };
        const { rows } = await client.query(limited);
        if (this.#isPooled) await client.query('COMMIT');
        return rows;
      } catch (error) {
        if (error === stopReason) throw error;
        const failure = databaseFailureFrom(error);
        broken =
          this.#isPooled ||
          !(error instanceof pg.DatabaseError) ||
          (failure !== undefined && !isStatementTimeout(error));
        if (isStatementTimeout(error)) {
          stopReason ??= reportTooSlow(deadlineMs);
          throw stopReason;
        }
        if (error instanceof pg.DatabaseError && error.code === '25006') throw new Error('A read must not write');
        throw failure ?? error;
      } finally {
        client.release(broken || this.#isOnOldPrimary(client));
      }
    };
    const all = async (sql: string, parameters: SqlParameters) => {
      if (!isLong(deadlineMs)) return run(sql, parameters);
      if (!(await this.#longQueries.acquire(LONG_WAIT_MAX_MS))) throw noReportConnection();
      try {
        return await run(sql, parameters);
      } finally {
        this.#longQueries.release();
      }
    };
    const get = async (sql: string, parameters: SqlParameters) => (await all(sql, parameters))[0];
    const transaction = createReadTransaction(inSequence({ get, all }));
    return withDeadline(
      deadlineMs,
      () =>
        repeat(async () => {
          const value = await unit(transaction);
          if (stopReason) throw stopReason;
          return value;
        }),
      (reason) => {
        stopReason ??= reason;
      },
    );
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      if (error instanceof Error && error.message === NONE_FREE) throw new NoneFree();
      throw connectionFailure(error);
    }
  }

  #isOnOldPrimary(client: pg.PoolClient): boolean {
    return this.#leavesStandbys && client instanceof WatchingClient && client.isOnStandby;
  }

  async #limit(client: pg.PoolClient, deadlineMs: number): Promise<void> {
    const settings = [`statement_timeout = ${Math.ceil(deadlineMs)}`, ...(isLong(deadlineMs) ? OF_WALKS : OF_LISTS)];
    if (this.#isPooled) {
      const local = settings.map((setting) => `SET LOCAL ${setting}; `).join('');
      await client.query(`BEGIN READ ONLY; ${local}${WITHOUT_JIT}`);
      return;
    }
    if (this.#deadlines.get(client) === deadlineMs) return;
    await client.query(settings.map((setting) => `SET ${setting}`).join('; '));
    this.#deadlines.set(client, deadlineMs);
  }
}

/** A longer deadline than a list's is that of a walk in pages. */
function isLong(deadlineMs: number): boolean {
  return deadlineMs > REPORT_DEADLINE_MS;
}
