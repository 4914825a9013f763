/** The content type of our CSV files, whose first line is their header. */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/**
 * Where a spreadsheet would read a formula, full-width variants included: at the start of a cell, and behind what a
 * spreadsheet in many languages takes for the start of one. It separates by semicolons, and then quotes within a line, as
 * around any cell but the first, protect nothing: a quote at the start of such a cell is doubled, and thus empty text before
 * the formula. Apostrophes of the text itself may be before it: they get one more, so that `unmarkedText` leaves them alone.
 */
const FORMULA_START = /([;\t\r\n])(?='*"?[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/g;
const MARKED_FORMULA = /([;\t\r\n])'(?='*"?[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/g;

/**
 * Decimal text that we produce ourselves, such as `-19.99`. It is always a number, even when it starts like a formula.
 */
export interface DecimalCell {
  decimal: string;
}

export type CsvCell = string | number | DecimalCell | null;

/**
 * One line of a CSV file (RFC 4180), line break included. Numbers and decimals are written unquoted, null as an empty
 * cell. Text that a spreadsheet would evaluate gets an apostrophe before each formula, which makes it plain text; text that
 * has apostrophes there already gets one more.
 */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'object') return cell.decimal;
  const text = replacedInParts(cell, FORMULA_START, "$1'");
  return text !== cell || /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The text of a cell that `csvLine` wrote: without the apostrophes, for a reader that evaluates nothing. */
export function unmarkedText(cell: string): string {
  return cell.includes("'") ? replacedInParts(cell, MARKED_FORMULA, '$1') : cell;
}

/** As `replaceAll`, with the start of the text as one more separator. */
function replacedInParts(text: string, start: RegExp, replacement: string): string {
  return `\n${text}`.replaceAll(start, replacement).slice(1);
}

/**
 * Parses CSV text (RFC 4180) into lines of cells, which commas separate, or semicolons or tabs where the first line has
 * more of them. Blank lines are skipped. A quote that no other one closes is text, so that it swallows no lines.
 */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const endRow = () => {
    if (row.some((cell) => cell.trim() !== '')) rows.push(row);
    row = [];
  };
  const separator = separatorIn(text);
  for (const [, quoted, plain = '', end] of text.replace(/^\uFEFF/, '').matchAll(cellsBetween(separator))) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== separator) endRow();
    if (end === '') break;
  }
  return rows;
}

/** The one that the first line has most of: spreadsheets write semicolons where amounts have commas. */
function separatorIn(text: string): string {
  const [line = ''] = text.split(/[\r\n]/, 1);
  const count = (separator: string) => line.split(separator).length;
  return [';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best), ',');
}

/** A quoted or unquoted cell, and the separator or line break that ends it. */
function cellsBetween(separator: string): RegExp {
  return new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\n|\\r|$)`, 'g');
}
