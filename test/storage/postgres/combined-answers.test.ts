import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlParameters, SqlValue } from '../../../src/storage/database.ts';
import { PipelinedClient } from '../../../src/storage/postgres/client.ts';
import { type Combinable, combinableFrom } from '../../../src/storage/postgres/combinable.ts';
import type { WireQuery } from '../../../src/storage/postgres/wire-query.ts';
import { toNumberedSql, valuesFor } from '../../../src/storage/sql-text.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { fillAccount } from '../../helpers/filled-database.ts';
import { findQueryTexts } from '../../helpers/query-texts.ts';
import { rounds, someOf } from '../../helpers/rounds.ts';

const BYTEA = 17;
const INTEGERS = [20, 21, 23];
const LARGE = [0, -1, 2 ** 31 - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
const ODD = ['', ' ', 'NULL', '"', '\\', '\\"', '{}', '{a,b}', "it's", 'a\nb', '\u{1f600}', '\\x41', '[]', '%'];

interface Statement {
  /** The function that sends it. */
  query: string;
  sql: string;
  name: string;
  combinable: Combinable;
}

/** What each unit of work would be told, and the rows that are stored then; or that the database refuses one of them. */
type Result = { answers: { rows: unknown[]; rowCount: number }[]; stored: unknown[] } | 'refused';

describe('every SQL text of which executions are combined', async () => {
  const { texts } = await findQueryTexts();
  const queries = new Map(texts.map(({ query, sql }) => [sql, query]));
  const statements = [...queries].flatMap(([sql, query], index): Statement[] => {
    const name = `statement_${index}`;
    const combinable = combinableFrom(sql, name);
    return combinable === null ? [] : [{ query, sql, name, combinable }];
  });
  // an audit lists some ids in any order
  const lookups = statements.filter(({ sql, combinable }) => combinable.isLookup && !sql.includes('string_agg'));
  const inserts = statements.filter(({ combinable }) => !combinable.isLookup);
  /** Some rows of each table. */
  const known = new Map<string, Record<string, unknown>[]>();
  let test: TestDatabase;
  let admin: pg.Client;
  let apart: PipelinedClient;
  let combining: PipelinedClient;

  beforeAll(async () => {
    test = await createTestDatabase('postgres');
    // without foreign keys, because any values are inserted
    const config = { connectionString: test.url, options: '-c session_replication_role=replica' };
    admin = new pg.Client(config);
    apart = new PipelinedClient(config);
    combining = new PipelinedClient({ ...config, combines: true });
    await Promise.all([admin.connect(), apart.connect(), combining.connect()]);
    for (const account of [1, 2]) {
      await fillAccount(
        (sql, parameters) => {
          const { text, names } = toNumberedSql(sql);
          return admin.query(text, valuesFor(names, parameters));
        },
        { account, sales: 200 },
      );
    }
    const { rows: tables } = await admin.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    for (const { tablename } of tables) {
      const { rows } = await admin.query(`SELECT to_jsonb(t) AS row FROM ${tablename} t LIMIT 30`);
      known.set(
        tablename,
        rows.map(({ row }) => row),
      );
    }
  });
  afterAll(async () => {
    await Promise.all([admin.end(), apart.end(), combining.end()]);
    await test.remove();
  });

  /** Values of the parameter's column, if its name tells it; otherwise of any column of the same tables. */
  function knownValuesOf(name: string, sql: string): unknown[] {
    const column = name.replace(/\d+$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const tables = [...sql.matchAll(/\b(?:FROM|JOIN)\s+(\w+)/g)].map(([, table = '']) => table);
    const cells = tables.flatMap((table) => known.get(table) ?? []).flatMap((row) => Object.entries(row));
    const own = cells.filter(([key]) => key === column || column.endsWith(`_${key}`));
    return (own.length > 0 ? own : cells).map(([, value]) => value);
  }

  function valueLookedUp(name: string, type: number, sql: string): fc.Arbitrary<SqlValue> {
    if (new RegExp(`LIMIT @${name}\\b`).test(sql)) return fc.nat(50);
    const isInteger = INTEGERS.includes(type);
    const values = knownValuesOf(name, sql).filter((value) => typeof value === (isInteger ? 'number' : 'string'));
    const any = fc.constantFrom<SqlValue>(null, ...(isInteger ? LARGE : ODD));
    if (values.length === 0) return any;
    return fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...(values as SqlValue[])) },
      { weight: 1, arbitrary: any },
    );
  }

  /** Long enough that two are never the same. */
  const text = fc.string({ unit: fc.constantFrom(...'ab"\\{}\', \n\u{1f600}'), minLength: 16, maxLength: 200 });
  function valueInserted(type: number): fc.Arbitrary<SqlValue> {
    if (type === BYTEA) return fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes)));
    return INTEGERS.includes(type) ? fc.nat(30_000) : text;
  }

  async function executionsOf({ sql, combinable }: Statement): Promise<fc.Arbitrary<SqlParameters[]>> {
    const { text, names } = toNumberedSql(sql);
    await admin.query(`PREPARE described AS ${text}`);
    const { rows } = await admin.query(
      "SELECT CAST(parameter_types AS oid[]) AS types FROM pg_prepared_statements WHERE name = 'described'",
    );
    await admin.query('DEALLOCATE described');
    const values = names.map((name, index) => {
      const type = Number(rows[0].types[index]);
      return [name, combinable.isLookup ? valueLookedUp(name, type, sql) : valueInserted(type)];
    });
    return fc.array(fc.record(Object.fromEntries(values)), { minLength: 6, maxLength: 12 });
  }

  async function resultOf(
    client: PipelinedClient,
    { sql, name, combinable }: Statement,
    executions: readonly SqlParameters[],
  ): Promise<Result> {
    const { text, names } = toNumberedSql(sql);
    const execute = (parameters: SqlParameters = {}) => {
      const query: WireQuery = { name, text, values: valuesFor(names, parameters), combinable };
      return client.send(query, {});
    };
    const [first, ...others] = executions;
    await client.send({ text: 'BEGIN' });
    try {
      // until the server has described a statement, its executions are sent apart
      const results = [await execute(first), ...(await Promise.all(others.map(execute)))];
      const answers = results.map(({ rows, rowCount }) => ({ rows, rowCount }));
      const stored = combinable.isLookup ? [] : await rowsStored(client, sql);
      return { answers: /\bORDER BY\b/.test(sql) ? answers : answers.map(inAnyOrder), stored };
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      return 'refused';
    } finally {
      const rollBack = () => client.send({ text: 'ROLLBACK' });
      // a connection that is to discard its plans cannot do so in a transaction that has failed
      await rollBack().catch(rollBack);
    }
  }

  /** The rows that this transaction has inserted. */
  async function rowsStored(client: PipelinedClient, insert: string): Promise<unknown[]> {
    const [, table = ''] = /INSERT INTO (\w+)/.exec(insert) ?? [];
    const isOwn = 't.xmin = CAST(CAST(pg_current_xact_id() AS text) AS xid)';
    return (await client.send({ text: `SELECT CAST(t AS text) FROM ${table} t WHERE ${isOwn} ORDER BY 1` })).rows;
  }

  function inAnyOrder<Answer extends { rows: unknown[] }>(answer: Answer): Answer {
    return { ...answer, rows: answer.rows.map((row) => JSON.stringify(row)).sort() };
  }

  /** Returns how many rows were found or stored. */
  async function requireSame(statement: Statement, numRuns: number): Promise<number> {
    let rowCount = 0;
    const property = fc.asyncProperty(await executionsOf(statement), async (executions) => {
      const expected = await resultOf(apart, statement, executions);
      expect(await resultOf(combining, statement, executions), statement.query).toEqual(expected);
      if (expected !== 'refused') for (const answer of expected.answers) rowCount += answer.rowCount;
    });
    await fc.assert(property, { numRuns, endOnFailure: true });
    return rowCount;
  }

  async function combinedSoFar(): Promise<number> {
    const sql = "SELECT CAST(COUNT(*) AS INTEGER) AS count FROM pg_prepared_statements WHERE name LIKE '%combined'";
    return (await combining.send({ text: sql })).rows[0]?.count as number;
  }

  it('finds the same rows alone and together with others', async () => {
    const tried = someOf(lookups);
    let rowCount = 0;
    for (const one of tried) rowCount += await requireSame(one, 1);
    expect(rowCount).toBeGreaterThan(tried.length);
    // a few are refused before they are combined
    expect(await combinedSoFar()).toBeGreaterThan(0.9 * tried.length);
  });

  it('stores the same rows alone and together with others', async () => {
    const before = await combinedSoFar();
    for (const one of inserts) expect(await requireSame(one, rounds(20)), one.query).toBeGreaterThanOrEqual(6);
    expect((await combinedSoFar()) - before).toBe(inserts.length);
  });
});
