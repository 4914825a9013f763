import type { SqlParameters, SqlValue, Transaction } from '../database.ts';

/** A statement that takes rows: `before`, one list of parameters per row, `after`. */
export interface RowsStatement<Name extends string> {
  before: string;
  /** The members of a row, in the order of the columns. */
  names: readonly Name[];
  after: string;
}

/** Powers of two, so that any number of rows is a few statements, of which few are ever prepared. */
const SIZES = [64, 32, 16, 8, 4, 2, 1];

interface Prepared {
  size: number;
  sql: string;
  /** One list per row. */
  parameterNames: string[][];
}

/** Runs a statement over any number of rows, up to 64 at a time and in their order. */
export function manyRows<Name extends string>({ before, names, after }: RowsStatement<Name>) {
  const statements = SIZES.map((size): Prepared => {
    const parameterNames = Array.from({ length: size }, (_, row) => names.map((name) => `${name}${row}`));
    const lists = parameterNames.map((list) => `(${list.map((name) => `@${name}`).join(', ')})`);
    return { size, sql: `${before} ${lists.join(', ')} ${after}`, parameterNames };
  });
  return async (tx: Transaction, rows: readonly Readonly<Record<Name, SqlValue>>[]): Promise<void> => {
    let done = 0;
    for (const { size, sql, parameterNames } of statements) {
      for (; rows.length - done >= size; done += size) {
        await tx.run(sql, parametersOf(names, parameterNames, rows.slice(done, done + size)));
      }
    }
  };
}

function parametersOf<Name extends string>(
  names: readonly Name[],
  parameterNames: readonly string[][],
  rows: readonly Readonly<Record<Name, SqlValue>>[],
): SqlParameters {
  const parameters: Record<string, SqlValue> = {};
  for (const [index, row] of rows.entries()) {
    for (const [column, parameter] of (parameterNames[index] ?? []).entries()) {
      const name = names[column];
      if (name !== undefined) parameters[parameter] = row[name];
    }
  }
  return parameters;
}
