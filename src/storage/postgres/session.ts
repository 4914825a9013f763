import type pg from 'pg';
import type { SqlParameters } from '../database.ts';
import { databaseFailureFrom } from './failure.ts';
import type { PostgresStatements } from './statements.ts';

/**
 * Compiling takes from tenths of a second to seconds for each statement that the planner considers expensive, and every
 * page of a walk is one: the plans that it must not use have been made expensive.
 */
export const WITHOUT_JIT = 'SET LOCAL jit = off';

/** PostgreSQL 17 and later have this limit; setting it is an error for others. */
const ANY_DURATION =
  "SELECT set_config('transaction_timeout', '0', true) WHERE current_setting('transaction_timeout', true) IS NOT NULL";

const LONG_STATEMENTS = `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; ${ANY_DURATION}; ${WITHOUT_JIT}`;

/** For a transaction that may take long, whatever limits its user has. */
export const WITHOUT_LIMITS = `${LONG_STATEMENTS}; SET LOCAL idle_in_transaction_session_timeout = 0`;

/**
 * As `WITHOUT_LIMITS`, for a transaction that others wait for. If its machine has vanished, the server notices only after
 * hours; until then it would keep its locks.
 */
export const UNLESS_SILENT = `${LONG_STATEMENTS}; SET LOCAL idle_in_transaction_session_timeout = '60s'`;

/** The queries of one connection, one at a time; throws `DatabaseFailure` for failures of the engine. */
export class PostgresSession {
  readonly #client: pg.ClientBase;
  readonly #statements: PostgresStatements;
  #previous: Promise<unknown> = Promise.resolve();

  constructor(client: pg.ClientBase, statements: PostgresStatements) {
    this.#client = client;
    this.#statements = statements;
  }

  async get(sql: string, parameters: SqlParameters): Promise<unknown> {
    return (await this.#query(this.#statements.queryFor(sql, parameters).query)).rows[0];
  }

  async all(sql: string, parameters: SqlParameters): Promise<unknown[]> {
    return (await this.#query(this.#statements.queryFor(sql, parameters).query)).rows;
  }

  async run(sql: string, parameters: SqlParameters): Promise<number> {
    return (await this.#query(this.#statements.queryFor(sql, parameters).query)).rowCount ?? 0;
  }

  /** Runs a command or script without parameters; returns the last command that the server reports, such as `COMMIT`. */
  async execute(script: string): Promise<string> {
    return (await this.#query({ text: script })).command;
  }

  async #query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    const result = this.#previous.then(() => this.#client.query(query));
    this.#previous = result.catch(() => {});
    try {
      return await result;
    } catch (error) {
      throw databaseFailureFrom(error) ?? error;
    }
  }
}

/**
 * Gathers statistics after a transaction that stored many rows, whatever limits the user has. Never rejects, because
 * the rows are stored: without statistics, queries are slower until autovacuum has gathered them.
 */
export async function gatherStatistics(session: PostgresSession): Promise<void> {
  // somebody may be vacuuming a table, which can take hours
  await session.execute(`BEGIN; ${UNLESS_SILENT}; ANALYZE (SKIP_LOCKED); COMMIT`).catch(() => {});
}
