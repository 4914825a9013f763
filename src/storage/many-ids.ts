import type { SqlParameters, SqlValue, Transaction } from './database.ts';

const LIST_SIZE = 64;

/**
 * The rows of `table`, whose key is account and id, in the account `@accountId` with an id of a list of `manyIds`. SQLite
 * looks them up by both, and would read the whole account for pairs. PostgreSQL can only use the pairs here: where accounts
 * are small on average, it would read a large one instead.
 */
export function inAccount(table: string, list: string): string {
  return `${table}.account_id /* postgres: || '' */ = @accountId AND ${table}.id /* postgres: || '' */ IN ${list}
    /* postgres: AND (${table}.account_id, ${table}.id) IN ${pairsOf(list)} */`;
}

function pairsOf(list: string): string {
  const rows = (list.match(/@id\d+/g) ?? []).map((id) => `(${id})`);
  // with a limit, because PostgreSQL would otherwise take the account out of the pairs
  return `(SELECT CAST(@accountId AS TEXT), ids.column1 FROM (VALUES ${rows.join(', ')}) AS ids LIMIT ${rows.length})`;
}

/**
 * Creates a function that reads the rows of any number of ids, `listSize` at a time, without waiting between them. One
 * prepared text serves them all; a shorter list repeats its last id.
 *
 * @param sqlFor the query for a list of parameters, to be put after `IN`
 */
export function manyIds<Row>(sqlFor: (list: string) => string, listSize = LIST_SIZE) {
  const sql = sqlFor(`(${Array.from({ length: listSize }, (_, index) => `@id${index}`).join(', ')})`);
  return async (tx: Transaction, ids: readonly string[], parameters: SqlParameters = {}): Promise<Row[]> => {
    const running: Promise<Row[]>[] = [];
    for (let start = 0; start < ids.length; start += listSize) {
      const list: Record<string, SqlValue> = {};
      for (let index = 0; index < listSize; index += 1) {
        list[`id${index}`] = ids[Math.min(start + index, ids.length - 1)] as string;
      }
      running.push(tx.all<Row>(sql, { ...parameters, ...list }));
    }
    return (await Promise.all(running)).flat();
  };
}
