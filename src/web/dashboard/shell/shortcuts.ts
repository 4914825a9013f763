import { useEffect } from 'react';

/** What `/` focuses: the search field of the page. */
export const SEARCH_FIELD = { 'data-search': '' } as const;

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** `/` searches the page, or everything where the page has no search; `⌘K` and `Ctrl K` go anywhere. */
export function useShortcuts(openPalette: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isPalette = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey);
      const isSearch = event.key === '/' && !isTyping(event.target) && !event.metaKey && !event.ctrlKey;
      if (!isPalette && !isSearch) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      const field = document.querySelector<HTMLElement>('[data-search]');
      if (isSearch && field !== null) field.focus();
      else openPalette();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
