import type { SqlParameters, SqlValue, Transaction } from './database.ts';

/** One prepared text serves any number of ids; a shorter list repeats its last one. */
const LIST_SIZE = 64;

/**
 * Creates a function that reads the rows of any number of ids, 64 at a time, without waiting between them.
 *
 * @param sqlFor the query for a list of parameters, to be put after `IN`
 */
export function manyIds<Row>(sqlFor: (list: string) => string) {
  const sql = sqlFor(`(${Array.from({ length: LIST_SIZE }, (_, index) => `@id${index}`).join(', ')})`);
  return async (tx: Transaction, ids: readonly string[], parameters: SqlParameters = {}): Promise<Row[]> => {
    const running: Promise<Row[]>[] = [];
    for (let start = 0; start < ids.length; start += LIST_SIZE) {
      const list: Record<string, SqlValue> = {};
      for (let index = 0; index < LIST_SIZE; index += 1) {
        list[`id${index}`] = ids[Math.min(start + index, ids.length - 1)] as string;
      }
      running.push(tx.all<Row>(sql, { ...parameters, ...list }));
    }
    return (await Promise.all(running)).flat();
  };
}
