import type { SqlParameters, SqlValue, Transaction } from './database.ts';

/** A statement over rows: the text before the rows, the names of their parameters, the text after the rows. */
export interface RowsStatement<Name extends string> {
  before: string;
  /** The members of a row, in column order. */
  names: readonly Name[];
  after: string;
}

/** Any number of rows takes few statements, three rows take one, and only six texts are prepared. */
const SIZES = [16, 8, 4, 3, 2, 1];

/** Creates a function that runs the statement over any number of rows, in order, 16 at a time; it returns how many changed. */
export function manyRows<Name extends string>({ before, names, after }: RowsStatement<Name>) {
  const statements = SIZES.map((size) => {
    // the member `name` of the third row is the parameter `name2`
    const numbered = Array.from({ length: size }, (_, row) =>
      names.map((name) => ({ name, parameter: `${name}${row}` })),
    );
    const lists = numbered.map((row) => `(${row.map(({ parameter }) => `@${parameter}`).join(', ')})`);
    return { numbered, sql: `${before} ${lists.join(', ')} ${after}` };
  });
  return async (tx: Transaction, rows: readonly Readonly<Record<Name, SqlValue>>[]): Promise<number> => {
    let start = 0;
    let changed = 0;
    for (const { numbered, sql } of statements) {
      for (; rows.length - start >= numbered.length; start += numbered.length) {
        changed += await tx.run(sql, parametersOf(numbered, rows, start));
      }
    }
    return changed;
  };
}

function parametersOf<Name extends string>(
  numbered: readonly (readonly { name: Name; parameter: string }[])[],
  rows: readonly Readonly<Record<Name, SqlValue>>[],
  start: number,
): SqlParameters {
  const parameters: Record<string, SqlValue> = {};
  for (const [place, members] of numbered.entries()) {
    const row = rows[start + place] as Readonly<Record<Name, SqlValue>>;
    for (const { name, parameter } of members) parameters[parameter] = row[name];
  }
  return parameters;
}
