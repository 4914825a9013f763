export type Cell = string | number | boolean | null;

/** Aligned columns, numbers to the right, null as nothing. Control characters of stored text are replaced. */
export function formatTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [headings, ...rows].map((row) => row.map(cellText));
  const widths = headings.map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  const isNumeric = headings.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  return texts
    .map((row) =>
      row
        .map((text, column) =>
          isNumeric[column] ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One `name  value` line per member; nested values as JSON. */
export function formatRecord(record: object): string {
  const rows = Object.entries(record).map(([name, value]) => [name, asCell(value)]);
  const width = Math.max(...rows.map(([name]) => String(name).length));
  return rows.map(([name, value]) => `${String(name).padEnd(width)}  ${cellText(value ?? null)}`.trimEnd()).join('\n');
}

function asCell(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function cellText(cell: Cell): string {
  return cell === null ? '' : String(cell).replace(/\p{Cc}/gu, '·');
}
