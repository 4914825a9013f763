import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { isTyping } from '../shell/shortcuts.ts';

interface OpenRow<Row> {
  idOf(row: Row): string;
  href?(row: Row): string;
  openId?: string | undefined;
}

/** While a row is open, `j` opens the next one and `k` the one before. */
export function useRowKeys<Row>(rows: readonly Row[], { idOf, href, openId }: OpenRow<Row>): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (href === undefined || openId === undefined) return;
    const onKey = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const row = rows[rows.findIndex((candidate) => idOf(candidate) === openId) + step];
      if (row !== undefined && document.querySelector('dialog[open]') === null) navigate(href(row));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
