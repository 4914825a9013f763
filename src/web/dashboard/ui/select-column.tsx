import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Selection } from '../data/selection.ts';
import { isForPage, isSingleKey } from '../shell/shortcuts.ts';
import type { Column } from './table.tsx';

interface SelectionOf<Row> {
  rows: readonly Row[] | undefined;
  idOf(row: Row): string;
  /** A different list starts with nothing selected. */
  list: string;
}

/**
 * The selection of a list. `x` selects the focused row, or the open one; with Shift, all rows up to it. Escape clears
 * the selection.
 */
export function useSelection<Row>({ rows, idOf, list }: SelectionOf<Row>): Selection {
  const [selection] = useState(() => new Selection());
  useEffect(() => {
    selection.show((rows ?? []).map(idOf));
  }, [selection, rows, idOf]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list
  useEffect(() => {
    selection.clear();
  }, [selection, list]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, shiftKey } = event;
      const open = document.querySelector('tr[aria-current]');
      if (key === 'Escape' && open === null && isForPage(event)) selection.clear();
      if (key.toLowerCase() !== 'x' || !isSingleKey(event)) return;
      const row = document.activeElement?.closest('tr') ?? open;
      const box = row?.querySelector('input[type="checkbox"]');
      box?.dispatchEvent(new MouseEvent('click', { shiftKey, bubbles: true, cancelable: true }));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [selection]);
  return selection;
}

interface SelectColumn<Row> {
  selection: Selection;
  /** As in the table's `aria-label`: `Sales`. */
  list: string;
  idOf(row: Row): string;
  /** Identifies the row, for screen readers. */
  nameOf(row: Row): string;
}

/** The column of checkboxes, to be placed before all others. */
export function selectColumn<Row>({ selection, list, idOf, nameOf }: SelectColumn<Row>): Column<Row> {
  return {
    name: 'select',
    isControl: true,
    width: 'w-9 sm:w-10',
    label: <AllBox selection={selection} list={list} />,
    render: (row) => <RowBox selection={selection} id={idOf(row)} name={nameOf(row)} />,
  };
}

const BOX = 'size-4 accent-primary';
/** Larger than the drawn box, so that a finger hits it. */
const TARGET = '-mx-2 grid size-8 cursor-pointer place-items-center select-none';

function RowBox({ selection, id, name }: { selection: Selection; id: string; name: string }) {
  const isChosen = useSyncExternalStore(selection.subscribe, () => selection.read().has(id));
  return (
    <label className={TARGET}>
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={isChosen}
        onClick={({ shiftKey }) => selection.press(id, shiftKey)}
        // the handler above knows about Shift
        onChange={() => {}}
        className={BOX}
      />
    </label>
  );
}

function AllBox({ selection, list }: { selection: Selection; list: string }) {
  const chosen = useSyncExternalStore(selection.subscribe, selection.read);
  const box = useRef<HTMLInputElement>(null);
  const areAll = chosen.size > 0 && chosen.size === selection.size;
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = chosen.size > 0 && !areAll;
  });
  return (
    <label className={TARGET}>
      <input
        ref={box}
        type="checkbox"
        aria-label={`Select all ${list} that are loaded`}
        checked={areAll}
        onChange={() => selection.pressAll()}
        className={BOX}
      />
    </label>
  );
}
