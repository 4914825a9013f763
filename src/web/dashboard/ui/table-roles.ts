/** What the parts of a table are, said by themselves: where cells are below one another, Safari takes them for plain boxes. */
export const ROLE = {
  table: { role: 'table' },
  rows: { role: 'rowgroup' },
  row: { role: 'row' },
  heading: { role: 'columnheader' },
  cell: { role: 'cell' },
} as const;
