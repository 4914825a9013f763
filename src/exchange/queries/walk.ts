import type { SqlParameters, SqlValue, Transaction } from '../../storage/database.ts';
import { type ExchangedTable, IMPORT_JOB, type Scope, TABLES } from '../tables.ts';

/** A row as stored, by column. */
export type StoredRow = Record<string, SqlValue>;

export interface PageAfter {
  accountId: string;
  /** The key of the last row before the page. */
  after: SqlParameters;
  limit: number;
}

/**
 * Reads a page of an account's rows in the order of the table's key, by table. A table without an index by account is walked
 * whole, and rows of others are skipped.
 */
export const rowsOf: Readonly<Record<string, (tx: Transaction, page: PageAfter) => Promise<StoredRow[]>>> =
  Object.fromEntries(
    TABLES.map((table) => {
      const sql = pageOf(table);
      return [
        table.name,
        (tx: Transaction, { accountId, after, limit }: PageAfter) =>
          tx.all<StoredRow>(sql, { accountId, limit, ...after }),
      ];
    }),
  );

function pageOf({ name, scope, key }: ExchangedTable): string {
  const columns = Object.keys(key);
  const list = columns.map((column) => `t.${column}`).join(', ');
  const parameters = columns.map((column) => `@${column}`).join(', ');
  const after = columns.length === 1 ? `${list} > ${parameters}` : `(${list}) > (${parameters})`;
  return `SELECT t.* FROM ${name} t WHERE ${after} AND ${belongs(scope)}${only(name)} ORDER BY ${list} LIMIT @limit`;
}

/** The service's own note, which an export leaves out. */
function only(name: string): string {
  return name === 'job_cursors' ? ` AND t.job <> '${IMPORT_JOB}'` : '';
}

function belongs(scope: Scope): string {
  switch (scope.by) {
    case 'account':
      return 't.account_id = @accountId';
    case 'itself':
      return 't.id = @accountId';
    case 'parent':
      return `(SELECT p.account_id FROM ${scope.table} p WHERE p.id = t.${scope.column}) = @accountId`;
    case 'owner':
      return `COALESCE(
        (SELECT p.account_id FROM partners p WHERE p.id = t.owner_id),
        (SELECT g.account_id FROM programs g WHERE g.id = t.owner_id)) = @accountId`;
  }
}
