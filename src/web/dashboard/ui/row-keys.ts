import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { isSingleKey } from '../shell/shortcuts.ts';

interface OpenRow<Row> {
  idOf(row: Row): string;
  href?(row: Row): string | undefined;
  openId?: string | undefined;
}

/** `j` opens the row after the open one, `k` the row before it; when none is open, they move the focus. */
export function useRowKeys<Row>(rows: readonly Row[], { idOf, href, openId }: OpenRow<Row>): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (href === undefined) return;
    const onKey = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined || !isSingleKey(event)) return;
      if (openId === undefined) {
        // a page may have another list that has the open row or has moved the focus
        if (document.querySelector('tr[aria-current]') === null && !event.defaultPrevented) focusRow(step);
        return event.preventDefault();
      }
      const openable = rows.filter((row) => href(row) !== undefined);
      const row = openable[openable.findIndex((candidate) => idOf(candidate) === openId) + step];
      const address = row && href(row);
      if (address !== undefined) navigate(address);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}

/** Moves from the focused row, or to the first one. The focus renders rows that were too far from the screen. */
function focusRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main tbody > tr:has(a)')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  rows[at === -1 ? 0 : at + step]?.querySelector('a')?.focus();
}
