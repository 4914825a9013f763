import type { SqlParameters, Transaction } from './database.ts';

/** A unit of work whose changes are counted. */
export interface CountedTransaction {
  /** The same unit. */
  tx: Transaction;
  /** The rows that were changed through `tx` so far, without what `last` work will change. Call `settled` before. */
  count(): number;
}

/** The table that a statement changes. */
const CHANGED_TABLE = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(\w+)/;

/**
 * Counts the rows that statements of a unit change, including those that return rows.
 *
 * @param isCounted false for tables, or statements, whose changes do not count
 */
export function countChangedRows(
  tx: Transaction,
  isCounted: (table: string, sql: string) => boolean,
): CountedTransaction {
  let count = 0;
  const changesIn = <Answer>(sql: string, answer: Promise<Answer>, rowsIn: (answer: Answer) => number) => {
    const table = CHANGED_TABLE.exec(sql)?.[1];
    if (table === undefined || !isCounted(table, sql)) return answer;
    return answer.then((result) => {
      count += rowsIn(result);
      return result;
    });
  };
  const counted: Transaction = {
    get: <Row>(sql: string, parameters?: SqlParameters) =>
      changesIn(sql, tx.get<Row>(sql, parameters), (row) => (row === undefined ? 0 : 1)),
    all: <Row>(sql: string, parameters?: SqlParameters) =>
      changesIn(sql, tx.all<Row>(sql, parameters), (rows) => rows.length),
    run: (sql, parameters) => changesIn(sql, tx.run(sql, parameters), (changed) => changed),
    claim: (keys) => tx.claim(keys),
    lookAhead: (start) => tx.lookAhead(start),
    unawaited: (write) => tx.unawaited(write),
    settled: () => tx.settled(),
    last: (key, work, added) => tx.last(key, work, added),
  };
  return { tx: counted, count: () => count };
}
