/** How a formula starts in a spreadsheet, full-width characters included. */
const FORMULA_START = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * One line of a CSV file (RFC 4180), line break included. Numbers are written unquoted, null as an empty cell. Text that
 * a spreadsheet would evaluate gets a leading apostrophe, which makes it plain text.
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
