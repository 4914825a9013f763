import { unmarkedText } from '../core/csv.ts';
import { type Problem, validationError } from '../errors.ts';
import { CSV_FIELDS, type CsvField, type CsvKind } from './csv-fields.ts';
import type { CsvRow } from './csv-rows.ts';

/** A row by field; only cells that contain text. */
export type Fields = Readonly<Record<string, string | undefined>>;

export interface ColumnMap {
  kind: CsvKind;
  /** The field of each column; null for a column that is not read. */
  fields: readonly (string | null)[];
  /** Headings of columns that are not read. Empty ones are left out. */
  ignored: string[];
}

const NO_HEADINGS = '. The first row of the file must hold the headings';

/**
 * Which field each column holds: as `given` says (heading → field), otherwise by name and synonym.
 *
 * @throws ServiceError `VALIDATION_ERROR` for a required field without a column, two columns of one field, or a mapping
 *   of a heading or field that does not exist
 */
export function mapColumns(kind: CsvKind, headings: readonly string[], given: ReadonlyMap<string, string>): ColumnMap {
  const known = CSV_FIELDS[kind];
  const problems: Problem[] = [];
  for (const [heading, field] of given) {
    if (!headings.includes(heading)) problems.push({ path: heading, message: 'is not a column of the file' });
    if (known[field] === undefined) {
      problems.push({
        path: field,
        message: `is not a field of ${kind}; its fields are: ${Object.keys(known).join(', ')}`,
      });
    }
  }
  const mapped = new Set(given.values());
  const fields = headings.map((heading) => given.get(heading) ?? fieldNamed(known, heading, mapped));
  // when it is no row of headings, it is somebody's data, which must not stay with the import
  const which = fields.some((field) => field !== null)
    ? ` (headings of the file: ${headings.join(', ')})`
    : NO_HEADINGS;
  for (const [name, { required }] of Object.entries(known)) {
    const count = fields.filter((field) => field === name).length;
    if (count > 1)
      problems.push({ path: name, message: 'is in several columns: choose one with --map "heading=field"' });
    if (count === 0 && required) {
      const message = `has no column: name its heading with --map "heading=${name}"${which}`;
      problems.push({ path: name, message });
    }
  }
  if (problems.length > 0) throw validationError(problems);
  return { kind, fields, ignored: headings.filter((heading, column) => heading !== '' && fields[column] === null) };
}

function fieldNamed(
  known: Readonly<Record<string, CsvField>>,
  heading: string,
  mapped: ReadonlySet<string>,
): string | null {
  const plain = heading.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const named = Object.entries(known).find(
    ([name, { synonyms }]) => name.toLowerCase() === plain || synonyms.includes(plain),
  );
  // a field that was mapped explicitly needs no second column
  return named === undefined || mapped.has(named[0]) ? null : named[0];
}

/** One or two digits after a comma are decimals; three may as well be thousands. */
const DECIMAL_COMMA = /^(-?\d+),(\d{1,2})$/;

/**
 * The texts of a row by field; empty cells are omitted. Where commas are decimal points, semicolons separate cells: there,
 * an amount may have either. Without the apostrophes that keep spreadsheets from reading a formula, as in our own lists.
 */
export function fieldsOf(
  { kind, fields }: ColumnMap,
  { cells, separator }: Pick<CsvRow, 'cells' | 'separator'>,
): Fields {
  const found: Record<string, string> = {};
  for (const [column, field] of fields.entries()) {
    const cell = cells[column];
    if (field === null || cell === undefined || cell === '') continue;
    const text = unmarkedText(cell);
    const mayHaveComma = separator === ';' && CSV_FIELDS[kind][field]?.isAmount;
    found[field] = mayHaveComma ? text.replace(DECIMAL_COMMA, '$1.$2') : text;
  }
  return found;
}
