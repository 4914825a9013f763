import type { SqlParameters, SqlValue, Transaction } from '../../storage/database.ts';
import { type ExchangedTable, IMPORT_JOB, type ParentTable, type Scope, TABLES } from '../tables.ts';

/** A row as stored, by column. */
export type StoredRow = Record<string, SqlValue>;

export interface PageAfter {
  accountId: string;
  /** The key of the last row before the page. */
  after: SqlParameters;
  limit: number;
  /** When no index finds the account: the key of the last row to look at. */
  upTo?: string;
}

type Query<Part, Row> = (tx: Transaction, part: Part) => Promise<Row[]>;

/** One query for each of the tables. */
function byTable<Part, Row>(
  tables: readonly ExchangedTable[],
  queryOf: (table: ExchangedTable) => Query<Part, Row>,
): Readonly<Record<string, Query<Part, Row>>> {
  return Object.fromEntries(tables.map((table) => [table.name, queryOf(table)]));
}

/**
 * Reads a page of rows in the order of the table's key, by table: the rows of the account or, if rows belong to a
 * parent, of the parent that the key names.
 */
export const rowsOf = byTable<PageAfter, StoredRow>(TABLES, (table) => {
  const sql = pageOf(table, 't.*');
  return (tx, { accountId, after, limit, upTo = '' }) => tx.all(sql, { accountId, limit, upTo, ...after });
});

/** As `rowsOf`, for tables with a large column: the size of that column in each row of the page, in bytes. */
export const sizesOf = byTable<PageAfter, { bytes: number }>(
  TABLES.filter(({ largeColumn }) => largeColumn !== null),
  (table) => {
    const sql = pageOf(table, `COALESCE(LENGTH(t.${table.largeColumn}), 0) AS bytes`);
    return (tx, { accountId, after, limit }) => tx.all(sql, { accountId, limit, ...after });
  },
);

function pageOf(table: ExchangedTable, selected: string): string {
  const { name, scope, key } = table;
  const columns = Object.keys(key).slice(scope.by === 'parent' ? 1 : 0);
  const order = columns.map((column) => `t.${column}`).join(', ');
  const after = isAfter(
    columns.map((column) => `t.${column}`),
    columns.map((column) => `@${column}`),
  );
  return `SELECT ${selected} FROM ${name} t WHERE ${belongs(table)} AND ${after}${only(name)} ORDER BY ${order} LIMIT @limit`;
}

function isAfter(columns: readonly string[], values: readonly string[]): string {
  return columns.length === 1 ? `${columns[0]} > ${values[0]}` : `(${columns.join(', ')}) > (${values.join(', ')})`;
}

/** Excludes the service's own record, which is not exported. */
function only(name: string): string {
  return name === 'job_cursors' ? ` AND t.job <> '${IMPORT_JOB}'` : '';
}

function belongs({ scope, key }: ExchangedTable): string {
  switch (scope.by) {
    case 'account':
      return 't.account_id = @accountId';
    case 'account, unindexed':
      return `t.account_id = @accountId AND t.${Object.keys(key)[0]} <= @upTo`;
    case 'itself':
      return 't.id = @accountId';
    case 'parent':
      return `t.${scope.column} = @${scope.column}`;
  }
}

/**
 * For tables in which no index finds the account: how many rows of any account come after a key, at most `limit`, and
 * the key of the last of them; null without any.
 */
export const slicesOf = byTable<{ afterKey: string; limit: number }, { lastKey: string | null; count: number }>(
  TABLES.filter(({ scope }) => scope.by === 'account, unindexed'),
  ({ name, key }) => {
    const [column] = Object.keys(key);
    const slice = `SELECT t.${column} AS key FROM ${name} t WHERE t.${column} > @afterKey ORDER BY t.${column} LIMIT @limit`;
    const sql = `SELECT MAX(s.key) AS "lastKey", COUNT(*) AS count FROM (${slice}) s`;
    return (tx, part) => tx.all(sql, part);
  },
);

type ParentScope = Extract<Scope, { by: 'parent' }>;

/** One query for each table whose rows belong to parents, and for each table of parents. */
function byParent<Part, Row>(
  queryOf: (table: ExchangedTable, scope: ParentScope, parents: ParentTable) => Query<Part, Row>,
): Readonly<Record<string, Query<Part, Row>>> {
  return Object.fromEntries(
    TABLES.flatMap((table) => {
      const { name, scope } = table;
      if (scope.by !== 'parent') return [];
      return scope.tables.map((parents) => [`${name} of ${parents}`, queryOf(table, scope, parents)]);
    }),
  );
}

/** The next parents of the account in the order of their ids, each with the number of its rows, `limit` for more. */
export const parentsOf = byParent<
  { accountId: string; afterId: string; parentsMax: number; limit: number },
  { id: string; count: number }
>(({ name }, { column }, parents) => {
  const count = `SELECT COUNT(*) FROM (SELECT 1 AS one FROM ${name} t WHERE t.${column} = p.id LIMIT @limit) counted`;
  const sql = `SELECT p.id, (${count}) AS count FROM ${parents} p WHERE p.account_id = @accountId AND p.id > @afterId
    ORDER BY p.id LIMIT @parentsMax`;
  return (tx, part) => tx.all(sql, part);
});

/** All rows of the account's parents from one id to another, in the order of the table's key. */
export const rowsBetween = byParent<{ accountId: string; firstId: string; lastId: string }, StoredRow>(
  ({ name, key }, { column }, parents) => {
    const order = Object.keys(key).map((one) => `t.${one}`);
    // parents first: any number of other accounts' rows may lie between their ids
    const sql = `SELECT t.* FROM ${parents} p CROSS JOIN ${name} t
      WHERE p.account_id = @accountId AND p.id >= @firstId AND p.id <= @lastId AND t.${column} = p.id
      ORDER BY ${order.join(', ')}`;
    return (tx, part) => tx.all(sql, part);
  },
);
