import { SEALED_COLUMNS, type SealedTable } from '../../app/sealed-columns.ts';
import type { SqlParameters, Transaction } from '../../storage/database.ts';

export interface SealedValue {
  id: string;
  sealed: Buffer;
}

interface PageAfter {
  afterId: string;
  limit: number;
}

export const SEALED_TABLES = Object.keys(SEALED_COLUMNS) as SealedTable[];

/** One query for each of the tables. */
function byTable<Query>(queryOf: (table: SealedTable, column: string) => Query): Readonly<Record<SealedTable, Query>> {
  const queries = SEALED_TABLES.map((table) => [table, queryOf(table, SEALED_COLUMNS[table])]);
  return Object.fromEntries(queries);
}

/** The encrypted values of any account in the order of their ids. */
export const findSealed = byTable((table, column) => {
  const sql = `SELECT id, ${column} AS sealed FROM ${table} WHERE id > @afterId AND ${column} IS NOT NULL
     ORDER BY id LIMIT @limit`;
  return (tx: Transaction, { afterId, limit }: PageAfter) => tx.all<SealedValue>(sql, { afterId, limit });
});

/** Changes nothing when the value is no longer the one that was read. */
export const replaceSealed = byTable((table, column) => {
  const sql = `UPDATE ${table} SET ${column} = @next WHERE id = @id AND ${column} = @sealed`;
  return async (tx: Transaction, { id, sealed, next }: SealedValue & { next: Buffer }) => {
    await tx.run(sql, { id, sealed, next } satisfies SqlParameters);
  };
});
