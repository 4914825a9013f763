/** Characters that make a spreadsheet read a cell as a formula, full-width variants included. */
const FORMULA_START = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * Decimal text that we produce ourselves, such as `-19.99`. It is always a number, even when it starts like a formula.
 */
export interface DecimalCell {
  decimal: string;
}

export type CsvCell = string | number | DecimalCell | null;

/**
 * One line of a CSV file (RFC 4180), line break included. Numbers and decimals are written unquoted, null as an empty
 * cell. Text that a spreadsheet would evaluate gets a leading apostrophe, which makes it plain text.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'object') return cell.decimal;
  const text = FORMULA_START.test(cell) ? `'${cell}` : cell;
  return text !== cell || /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Parses CSV text (RFC 4180) into lines of cells. Blank lines are skipped. An unclosed quote extends to the end of the
 * text.
 */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const endRow = () => {
    if (row.some((cell) => cell.trim() !== '')) rows.push(row);
    row = [];
  };
  for (const [, quoted, plain = '', end] of text.replace(/^\uFEFF/, '').matchAll(CELL)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ',') endRow();
    if (end === '') break;
  }
  return rows;
}

/** A quoted or unquoted cell, and the separator or line break that ends it. */
const CELL = /(?:"((?:[^"]|"")*)"?|([^",\r\n][^,\r\n]*)?)(,|\r\n|\n|\r|$)/g;
