import { toNumberedSql } from '../sql-text.ts';

/**
 * A lookup, which may keep rows from being deleted (FOR KEY SHARE). Other locks would make units wait for each other, in
 * another order; and only a plain SELECT is certain to change nothing.
 */
const LOOKUP = /^\s*SELECT\b(?!.*\bFOR\s+(?:NO\s+KEY\s+UPDATE|UPDATE|SHARE)\b)(?!.*--)/is;
/** An INSERT of one row, without ON CONFLICT and RETURNING. Its values may contain parentheses, two deep. */
const INSERT = /^\s*(INSERT INTO \w+\s*\([^()]*\))\s*VALUES\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\s*$/i;

/** Types whose values an array takes as text. By their number in PostgreSQL's catalog, which never changes. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [17, 'bytea'],
  [20, 'bigint'],
  [21, 'smallint'],
  [23, 'integer'],
  [25, 'text'],
]);

/**
 * A statement of which several executions can be sent as one. Each of its parameters becomes an array with a value for
 * each execution.
 */
export interface Combinable {
  /** The name of the combined statement. */
  name: string;
  /** True for a lookup: each row begins with the number of its execution, from 1. An INSERT returns nothing. */
  isLookup: boolean;
  /** The combined statement, given the types of the parameters; null when one of them has a type that no array takes. */
  textFor(types: readonly number[]): string | null;
}

/** Null for a statement whose executions must remain apart, and for one without parameters. */
export function combinableFrom(sql: string, name: string): Combinable | null {
  const { text, names } = toNumberedSql(sql, (number) => `execution.p${number}`);
  if (names.length === 0) return null;
  const [, into, row] = INSERT.exec(text) ?? [];
  if (row !== undefined) return combinable(name, false, (executions) => `${into} SELECT ${row} FROM ${executions}`);
  if (!LOOKUP.test(text)) return null;
  // OFFSET 0 makes PostgreSQL plan the lookup by itself, as if its values were those of parameters
  return combinable(name, true, (executions) => {
    const lookup = `SELECT * FROM (${text}) AS found OFFSET 0`;
    return `SELECT execution.number, result.* FROM ${executions} CROSS JOIN LATERAL (${lookup}) AS result`;
  });
}

function combinable(name: string, isLookup: boolean, textOver: (executions: string) => string): Combinable {
  let known: string | null | undefined;
  const textFor = (types: readonly number[]) => {
    if (!types.every((type) => TYPES.has(type))) return null;
    // in a subquery, so that PostgreSQL expects as many executions in each plan: it would plan few of them anew each time
    const arrays = types.map((type, index) => `(SELECT CAST($${index + 1} AS ${TYPES.get(type)}[]))`);
    const members = types.map((_, index) => `p${index + 1}`);
    if (isLookup) members.push('number');
    const source = `unnest(${arrays.join(', ')})${isLookup ? ' WITH ORDINALITY' : ''}`;
    return textOver(`${source} AS execution (${members.join(', ')})`);
  };
  return {
    name: `${name}_combined`,
    isLookup,
    // the types of a statement are the same on every connection
    textFor: (types) => {
      if (known === undefined) known = textFor(types);
      return known;
    },
  };
}
