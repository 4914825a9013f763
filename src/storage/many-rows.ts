import type { SqlParameters, SqlValue, Transaction } from './database.ts';

/** A statement over rows: the text before the rows, the names of their parameters, the text after the rows. */
export interface RowsStatement<Name extends string> {
  before: string;
  /** The members of a row, in column order. */
  names: readonly Name[];
  after: string;
}

/** Powers of two: any number of rows takes few statements, and only five texts are prepared. */
const SIZES = [16, 8, 4, 2, 1];

/** Creates a function that runs the statement over any number of rows, in order, 16 at a time; it returns how many changed. */
export function manyRows<Name extends string>({ before, names, after }: RowsStatement<Name>) {
  const listFor = (row: number) => `(${names.map((name) => `@${name}${row}`).join(', ')})`;
  const statements = SIZES.map((size) => {
    return { size, sql: `${before} ${Array.from({ length: size }, (_, row) => listFor(row)).join(', ')} ${after}` };
  });
  return async (tx: Transaction, rows: readonly Readonly<Record<Name, SqlValue>>[]): Promise<number> => {
    let start = 0;
    let changed = 0;
    for (const { size, sql } of statements) {
      for (; rows.length - start >= size; start += size) {
        changed += await tx.run(sql, numberedParameters(names, rows.slice(start, start + size)));
      }
    }
    return changed;
  };
}

/** The member `name` of the third row is the parameter `name2`. */
function numberedParameters<Name extends string>(
  names: readonly Name[],
  rows: readonly Readonly<Record<Name, SqlValue>>[],
): SqlParameters {
  const parameters: Record<string, SqlValue> = {};
  rows.forEach((row, index) => {
    for (const name of names) parameters[`${name}${index}`] = row[name];
  });
  return parameters;
}
