/** What a spreadsheet would take for a formula, also in its full-width forms. */
const FORMULA_START = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * One line of a CSV file (RFC 4180), with its line end. Numbers stand as they are, null is an empty cell. Text that a
 * spreadsheet would calculate begins with an apostrophe, which makes it text.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA_START.test(cell) ? `'${cell}` : cell;
  return text !== cell || /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
