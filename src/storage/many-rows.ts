import type { SqlValue, Transaction } from './database.ts';

/** A statement that takes rows: `before`, one list of parameters per row, `after`. */
export interface RowsStatement<Name extends string> {
  before: string;
  /** The members of a row, in the order of the columns. */
  names: readonly Name[];
  after: string;
}

/** Powers of two, so that any number of rows is a few statements, of which few are ever prepared. */
const SIZES = [16, 8, 4, 2, 1];

interface Sized<Name> {
  size: number;
  sql: string;
  /** Every parameter of the text: of which row, which member. */
  parameters: { parameter: string; row: number; name: Name }[];
}

/** Runs a statement over any number of rows, up to 16 at a time and in their order. */
export function manyRows<Name extends string>(statement: RowsStatement<Name>) {
  const statements = SIZES.map((size) => sized(statement, size));
  return async (tx: Transaction, rows: readonly Readonly<Record<Name, SqlValue>>[]): Promise<void> => {
    let done = 0;
    for (const { size, sql, parameters } of statements) {
      for (; rows.length - done >= size; done += size) {
        const values: Record<string, SqlValue> = {};
        for (const { parameter, row, name } of parameters) values[parameter] = rows[done + row]?.[name] ?? null;
        await tx.run(sql, values);
      }
    }
  };
}

function sized<Name extends string>({ before, names, after }: RowsStatement<Name>, size: number): Sized<Name> {
  const lists = Array.from({ length: size }, (_, row) =>
    names.map((name) => ({ parameter: `${name}${row}`, row, name })),
  );
  const text = lists.map((list) => `(${list.map(({ parameter }) => `@${parameter}`).join(', ')})`).join(', ');
  return { size, sql: `${before} ${text} ${after}`, parameters: lists.flat() };
}
