/** How a formula starts in a spreadsheet, full-width characters included. */
const FORMULA_START = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Decimal text of our own making, such as `-19.99`: a number, however it starts. */
export interface DecimalCell {
  decimal: string;
}

export type CsvCell = string | number | DecimalCell | null;

/**
 * One line of a CSV file (RFC 4180), line break included. Numbers and decimals are written unquoted, null as an empty cell. Text that
 * a spreadsheet would evaluate gets a leading apostrophe, which makes it plain text.
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

/** The cells of a CSV text (RFC 4180), line by line; blank lines are left out. A quote that is never closed ends with the text. */
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

/** A cell in quotes or without, and what ends it. */
const CELL = /(?:"((?:[^"]|"")*)"?|([^",\r\n][^,\r\n]*)?)(,|\r\n|\n|\r|$)/g;
