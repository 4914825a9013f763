import { useSyncExternalStore } from 'react';
import type { Column } from './table-rows.tsx';

/** Tailwind's `sm` begins where this ends. */
const PHONE = matchMedia('(width < 40rem)');

function onPhoneChange(listener: () => void): () => void {
  PHONE.addEventListener('change', listener);
  return () => PHONE.removeEventListener('change', listener);
}

export function useIsPhone(): boolean {
  return useSyncExternalStore(onPhoneChange, () => PHONE.matches);
}

/** What a phone shows of a table: the title of a row and the last column, and a second line below them. */
export function phoneColumns<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const titled = columns.find(({ title }) => title) ?? columns.find(({ isControl }) => !isControl);
  const others = columns.filter((column) => column !== titled && !column.from && !column.under && !column.isControl);
  return [
    ...columns.filter(({ isControl }) => isControl),
    ...(titled ? [withSecondLine(asFirst(titled), columns, 'start')] : []),
    ...others.map((column) => (column === others.at(-1) ? withSecondLine(column, columns, 'end') : column)),
  ];
}

/** The title takes the width that the other columns leave. */
function asFirst<Row>({ name, label, render, title = render }: Column<Row>): Column<Row> {
  return { name, label, render: title };
}

function withSecondLine<Row>(
  column: Column<Row>,
  columns: readonly Column<Row>[],
  place: Column<Row>['under'],
): Column<Row> {
  const shown = columns.filter(({ under }) => under === place);
  if (shown.length === 0) return column;
  const second = (row: Row) => (
    // what has no room is below; the dot at the start of a line is outside, and clipped
    <span
      className={`flex flex-wrap items-center ${place === 'start' ? '-ml-3' : column.align === 'right' ? 'justify-end' : ''}`}
    >
      {shown.map(({ name, render }, index) => (
        <span
          key={name}
          className={`flex h-6 max-w-full items-center ${index > 0 && index === shown.length - 1 ? 'min-w-0 grow basis-20' : ''}`}
        >
          {place === 'start' && (
            <span aria-hidden="true" className="w-3 shrink-0 text-center">
              ·
            </span>
          )}
          <span dir="auto" className="min-w-0 truncate text-left">
            {render(row)}
          </span>
        </span>
      ))}
    </span>
  );
  return { ...column, second };
}
