/** What separates two columns. */
const GAP = 2;
/** No column becomes narrower than this. */
const WIDTH_MIN = 8;
const ID = /^([a-z]{3,4}_)([0-9A-Za-z]{14,})$/;
const ID_CHARACTERS_KEPT = 6;

/**
 * Shortens the cells of a table that is wider than a terminal: first ids, except those in the first column, which
 * commands need; then the ends of the widest columns. Numbers stay whole. A table that cannot fit stays too wide.
 *
 * @param rows of texts of equal number, the headings first
 */
export function fitTable(
  rows: readonly (readonly string[])[],
  { width, isNumeric }: { width: number; isNumeric: readonly boolean[] },
): readonly (readonly string[])[] {
  if (widthOf(rows) <= width) return rows;
  let fitted = rows.map((row) => row.map((text, column) => (column === 0 ? text : shortId(text))));
  for (;;) {
    const excess = widthOf(fitted) - width;
    if (excess <= 0) return fitted;
    const widths = columnWidths(fitted);
    const candidates = widths.map((own, column) => (column === 0 || isNumeric[column] ? 0 : own));
    const widest = Math.max(...candidates);
    if (widest <= WIDTH_MIN) return fitted;
    const column = candidates.indexOf(widest);
    // no narrower than the next column, so that two wide columns share the loss
    const next = Math.max(WIDTH_MIN, ...candidates.filter((own) => own < widest));
    const kept = Math.max(next, widest - excess);
    fitted = fitted.map((row) => row.map((text, at) => (at === column ? cut(text, kept) : text)));
  }
}

/** The id, shortened to its prefix and its last characters, which differ: `sal_…3f9a1c`. */
function shortId(text: string): string {
  return text.replace(ID, (_, prefix: string, rest: string) => `${prefix}…${rest.slice(-ID_CHARACTERS_KEPT)}`);
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

function widthOf(rows: readonly (readonly string[])[]): number {
  const widths = columnWidths(rows);
  return widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1);
}

/** The width of each column's longest cell. */
export function columnWidths(rows: readonly (readonly string[])[]): number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
}
