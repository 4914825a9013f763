import type { SqlParameters, SqlValue, Transaction } from './database.ts';

/** A statement over rows: the text before the rows, the names of their parameters, the text after the rows. */
export interface RowsStatement<Name extends string> {
  before: string;
  /** The members of a row, in column order. */
  names: readonly Name[];
  after: string;
}

/** For an import of thousands of rows, where sending a statement takes longer than storing its rows. */
export const BULK_SIZES: readonly number[] = [128, 16, 4, 1];

/** Any number of rows takes few statements, three rows take one, and only six texts are prepared. */
const SIZES: readonly number[] = [16, 8, 4, 3, 2, 1];

/**
 * Creates a function that runs the statement over any number of rows, in order, 16 at a time; it returns how many
 * changed. The statements are all sent at once.
 *
 * @param sizes how many rows a statement may take, from the most to 1; each size has its own text
 */
export function manyRows<Name extends string>(statement: RowsStatement<Name>, sizes = SIZES) {
  const statementsFor = splitIntoStatements(statement, sizes);
  return (tx: Transaction, rows: readonly Readonly<Record<Name, SqlValue>>[]): Promise<number> => {
    const running = statementsFor(rows).map(({ sql, parameters }) => tx.run(sql, parameters));
    const [only] = running;
    return running.length === 1 && only ? only : sumOf(running);
  };
}

async function sumOf(running: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(running)).reduce((sum, changed) => sum + changed, 0);
}

/** As `manyRows`, for a statement with RETURNING; the returned rows are in no particular order. */
export function manyRowsReturning<Name extends string, Row>(statement: RowsStatement<Name>) {
  const statementsFor = splitIntoStatements(statement, SIZES);
  return async (tx: Transaction, rows: readonly Readonly<Record<Name, SqlValue>>[]): Promise<Row[]> => {
    const running = statementsFor(rows).map(({ sql, parameters }) => tx.all<Row>(sql, parameters));
    return (await Promise.all(running)).flat();
  };
}

function splitIntoStatements<Name extends string>(
  { before, names, after }: RowsStatement<Name>,
  sizes: readonly number[],
) {
  const statements = sizes.map((size) => {
    // the member `name` of the third row is the parameter `name2`; a single row is itself the parameters
    const numbered = Array.from({ length: size }, (_, row) =>
      names.map((name) => ({ name, parameter: size === 1 ? name : `${name}${row}` })),
    );
    const lists = numbered.map((row) => `(${row.map(({ parameter }) => `@${parameter}`).join(', ')})`);
    return { numbered, sql: `${before} ${lists.join(', ')} ${after}` };
  });
  return (rows: readonly Readonly<Record<Name, SqlValue>>[]): { sql: string; parameters: SqlParameters }[] => {
    let start = 0;
    const parts = [];
    for (const { numbered, sql } of statements) {
      for (; rows.length - start >= numbered.length; start += numbered.length) {
        parts.push({ sql, parameters: parametersOf(numbered, rows, start) });
      }
    }
    return parts;
  };
}

function parametersOf<Name extends string>(
  numbered: readonly (readonly { name: Name; parameter: string }[])[],
  rows: readonly Readonly<Record<Name, SqlValue>>[],
  start: number,
): SqlParameters {
  if (numbered.length === 1) return rows[start] as Readonly<Record<Name, SqlValue>>;
  const parameters: Record<string, SqlValue> = {};
  for (const [place, members] of numbered.entries()) {
    const row = rows[start + place] as Readonly<Record<Name, SqlValue>>;
    for (const { name, parameter } of members) parameters[parameter] = row[name];
  }
  return parameters;
}
