import { createHash } from 'node:crypto';
import pg from 'pg';
import type { ClaimKey, SqlParameters } from '../database.ts';
import { type DriverSql, toNumberedSql, valuesFor } from '../sql-text.ts';
import type { Session } from '../write-transaction.ts';
import { databaseFailureFrom } from './failure.ts';

const STATEMENTS_MAX = 1_000;
const INTEGER_TYPES: readonly number[] = [
  pg.types.builtins.INT2,
  pg.types.builtins.INT4,
  pg.types.builtins.INT8,
  pg.types.builtins.NUMERIC,
  pg.types.builtins.FLOAT4,
  pg.types.builtins.FLOAT8,
];
const BYTEA_PARSER = pg.types.getTypeParser(pg.types.builtins.BYTEA);

/** Parses values as SQLite returns them: safe integers or an error, 0 and 1 for booleans, buffers for BYTEA, otherwise text. */
export const POSTGRES_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type: number) => {
    if (INTEGER_TYPES.includes(type)) return parseSafeInteger;
    if (type === pg.types.builtins.BOOL) return (text: string) => (text === 't' ? 1 : 0);
    return type === pg.types.builtins.BYTEA ? BYTEA_PARSER : (text: string) => text;
  },
};

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`A column holds ${text}, which is not a safe integer`);
  return value;
}

/** Translates and names each text once, so that every connection prepares it only once. */
export class PostgresStatements {
  readonly #statements = new Map<string, DriverSql & { name: string }>();

  /** @throws Error when a parameter is missing */
  queryFor(sql: string, parameters: SqlParameters): pg.QueryConfig {
    const statement = this.#statements.get(sql) ?? this.#add(sql);
    const values = valuesFor(statement.names, parameters);
    return statement.name === '' ? { text: statement.text, values } : { ...statement, values };
  }

  #add(sql: string): DriverSql & { name: string } {
    const cacheable = this.#statements.size < STATEMENTS_MAX;
    const statement = { ...toNumberedSql(sql), name: cacheable ? `refbridge_${this.#statements.size + 1}` : '' };
    if (cacheable) this.#statements.set(sql, statement);
    return statement;
  }
}

/** The queries of one connection, one at a time; throws `DatabaseFailure` for failures of the engine. */
export class PostgresSession implements Session {
  readonly #client: pg.ClientBase;
  readonly #statements: PostgresStatements;
  #previous: Promise<unknown> = Promise.resolve();

  constructor(client: pg.ClientBase, statements: PostgresStatements) {
    this.#client = client;
    this.#statements = statements;
  }

  async get(sql: string, parameters: SqlParameters): Promise<unknown> {
    return (await this.#query(this.#statements.queryFor(sql, parameters))).rows[0];
  }

  async all(sql: string, parameters: SqlParameters): Promise<unknown[]> {
    return (await this.#query(this.#statements.queryFor(sql, parameters))).rows;
  }

  async run(sql: string, parameters: SqlParameters): Promise<number> {
    return (await this.#query(this.#statements.queryFor(sql, parameters))).rowCount ?? 0;
  }

  /** Waits for the holders of these keys. Locks in sorted order, so that two units cannot deadlock. */
  async claim(keys: () => readonly ClaimKey[]): Promise<void> {
    const hashes = [...new Set(keys().map(hashOf))].sort((a, b) => (a < b ? -1 : 1));
    if (hashes.length === 0) return;
    await this.get('SELECT count(pg_advisory_xact_lock(key)) AS claimed FROM unnest(CAST(@keys AS bigint[])) AS key', {
      keys: `{${hashes.join(',')}}`,
    });
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

function hashOf(key: ClaimKey): bigint {
  return createHash('sha256').update(key).digest().readBigInt64BE();
}
