import { type Cell, cellText, isMoney } from './cell.ts';
import { paintHeading, paintState } from './color.ts';
import { columnWidths, fitTable } from './fit.ts';

/** A time of the API: `2026-07-16T10:00:07.000Z`. */
const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z$/;

/**
 * Aligned columns: numbers to the right, null as an empty cell, times in UTC to the minute. Control characters in
 * stored text are replaced. On a terminal, ids and texts are shortened as far as needed and possible to make it fit,
 * and headings and states are colored unless NO_COLOR is set.
 */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  width = terminalWidth(),
): string {
  const isNumeric = headings.map((_, column) =>
    rows.some((row) => typeof row[column] === 'number' || isMoney(row[column] ?? null)),
  );
  const whole = [headings, ...rows].map((row) => row.map((cell) => cellText(cell).replace(TIME, '$1 $2')));
  const texts = fitTable(whole, { width, isNumeric });
  const widths = columnWidths(texts);
  return texts
    .map((row, line) => {
      const padded = row.map((text, column) => {
        const own = widths[column] ?? 0;
        if (isNumeric[column]) return text.padStart(own);
        return column === row.length - 1 ? text : text.padEnd(own);
      });
      if (line === 0) return paintHeading(padded.join('  ').trimEnd());
      return padded.map(paintState).join('  ').trimEnd();
    })
    .join('\n');
}

/** One `name  value` line per member; nested values as JSON. */
export function formatRecord(record: object): string {
  const members = Object.entries(record);
  const width = Math.max(...members.map(([name]) => name.length));
  return members.map(([name, value]) => `${name.padEnd(width)}  ${cellText(asCell(value))}`.trimEnd()).join('\n');
}

/** Files and pipes get the full width. */
function terminalWidth(): number {
  const { isTTY, columns } = process.stdout;
  return isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

function asCell(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}
