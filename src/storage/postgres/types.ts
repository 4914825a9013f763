import pg from 'pg';
import { NumberOutOfRange } from '../../errors.ts';

const INTEGER_TYPES: readonly number[] = [
  pg.types.builtins.INT2,
  pg.types.builtins.INT4,
  pg.types.builtins.INT8,
  pg.types.builtins.NUMERIC,
  pg.types.builtins.FLOAT4,
  pg.types.builtins.FLOAT8,
];
const BYTEA_PARSER = pg.types.getTypeParser(pg.types.builtins.BYTEA);

/** Parses values as SQLite returns them: safe integers or an error, 0 and 1 for booleans, buffers for BYTEA, otherwise text. */
export const POSTGRES_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type: number) => {
    if (INTEGER_TYPES.includes(type)) return parseSafeInteger;
    if (type === pg.types.builtins.BOOL) return (text: string) => (text === 't' ? 1 : 0);
    return type === pg.types.builtins.BYTEA ? BYTEA_PARSER : (text: string) => text;
  },
};

function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  if (Number.isInteger(value)) throw new NumberOutOfRange();
  throw new TypeError(`A column holds ${text}, which is not a safe integer`);
}
