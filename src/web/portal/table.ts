import { type ComponentProps, h } from 'preact';

type Tag = 'table' | 'thead' | 'tbody' | 'tfoot' | 'tr' | 'th' | 'td';

/** An element of a table that says so itself: on a phone its rows are no rows by their look, nor then to Safari. */
function piece<Name extends Tag>(tag: Name, role: 'table' | 'rowgroup' | 'row' | 'columnheader' | 'cell') {
  return (props: ComponentProps<Name>) => h(tag as string, { role, ...props });
}

export const Table = piece('table', 'table');
export const Head = piece('thead', 'rowgroup');
export const Body = piece('tbody', 'rowgroup');
export const Foot = piece('tfoot', 'rowgroup');
export const Row = piece('tr', 'row');
export const Heading = piece('th', 'columnheader');
export const Cell = piece('td', 'cell');
