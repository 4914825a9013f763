import { csvLine } from '../../core/csv.ts';
import { type Cell, cellOfCsv, isMoney } from './cell.ts';

/** The columns of a table: each heading, and the function that fills the cells below it. */
export type Columns<Resource> = Readonly<Record<string, (resource: Resource) => Cell>>;

/**
 * The lines of a CSV file with the columns of a table, without shortened texts. The currency of a line's amounts is in
 * the column after the last of them.
 */
export function csvOf<Resource>(columns: Columns<Resource>) {
  const names = Object.keys(columns);
  let currencyAt: number | null = null;
  const cellsOf = (resource: Resource) => names.map((name) => columns[name]?.(resource) ?? null);
  return {
    /** The first line; an example shows which columns hold amounts. */
    heading(example: Resource | undefined): string {
      const last = example === undefined ? -1 : cellsOf(example).findLastIndex(isMoney);
      currencyAt = last < 0 ? null : last + 1;
      return csvLine(currencyAt === null ? names : names.toSpliced(currencyAt, 0, 'currency'));
    },
    line(resource: Resource): string {
      const cells = cellsOf(resource);
      const values = cells.map(cellOfCsv);
      const currency = cells.find(isMoney)?.currency.toUpperCase() ?? null;
      return csvLine(currencyAt === null ? values : values.toSpliced(currencyAt, 0, currency));
    },
  };
}
