import type { Transaction } from '../storage/database.ts';
import { refused } from './manifest.ts';
import { accountsOfIds } from './queries/accounts-of-ids.ts';
import type { StoredRow } from './queries/walk.ts';
import { type ExchangedTable, type IdentifiedTable, NAMING_COLUMNS, type Scope } from './tables.ts';

/** Consecutive rows of a table's file. */
export interface RowsOfFile {
  rows: StoredRow[];
  /** Of the first row; the first line of a file is 1. */
  line: number;
}

/**
 * Refuses rows that refer to rows of another account, such as its programs or payments. A row without an account column
 * must also refer to the row it belongs to, which is stored before it.
 *
 * @throws ServiceError `VALIDATION_ERROR` with the first such row
 */
export async function requireOwnRows(
  tx: Transaction,
  accountId: string,
  { name, scope }: ExchangedTable,
  { rows, line }: RowsOfFile,
): Promise<void> {
  const decisive = decisiveColumn(scope);
  const columns = Object.entries(NAMING_COLUMNS).filter(
    ([column]) => column === decisive || rows.some((row) => typeof row[column] === 'string'),
  );
  await Promise.all(
    columns.map(async ([column, tables]) => {
      const { own, foreign } = await findOwnIds(tx, accountId, tables, textsIn(rows, column));
      const index = rows.findIndex((row) => {
        const id = row[column] as string;
        return foreign.has(id) || (column === decisive && !own.has(id));
      });
      if (index === -1) return;
      throw refused(
        `${name}, line ${line + index} belongs to another account: its ${column} ${rows[index]?.[column]} is not of ` +
          `${accountId}. Nothing was imported`,
      );
    }),
  );
}

/** The column that alone decides which account a row belongs to. */
function decisiveColumn(scope: Scope): string | null {
  return scope.by === 'parent' ? scope.column : null;
}

function textsIn(rows: readonly StoredRow[], column: string): string[] {
  return [...new Set(rows.map((row) => row[column]).filter((value) => typeof value === 'string'))];
}

async function findOwnIds(
  tx: Transaction,
  accountId: string,
  tables: readonly IdentifiedTable[],
  ids: readonly string[],
): Promise<{ own: Set<string>; foreign: Set<string> }> {
  const found = (await Promise.all(tables.map((table) => accountsOfIds[table](tx, ids)))).flat();
  const idsOf = (isOwn: boolean) => found.filter((row) => (row.accountId === accountId) === isOwn).map(({ id }) => id);
  return { own: new Set(idsOf(true)), foreign: new Set(idsOf(false)) };
}
