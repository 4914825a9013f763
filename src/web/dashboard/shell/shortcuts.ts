import { useEffect } from 'react';

/** What `/` focuses: the search field of the page. */
export const SEARCH_FIELD = { 'data-search': '' } as const;

/** Whether a key pressed in this element would be typed as text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/**
 * Whether a key belongs to an input method, such as the Enter that accepts a Japanese word. Safari reports that one after
 * the end of the composition, and only its old code tells.
 */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return event.isComposing || event.keyCode === 229;
}

/**
 * `/` searches the page, or everything if the page has no search; `⌘K` and `Ctrl K` open the palette; `?` lists all
 * shortcuts.
 */
export function useShortcuts({ openPalette, openHelp }: { openPalette(): void; openHelp(): void }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isPalette = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey);
      const isPlain = !isTyping(event.target) && !event.metaKey && !event.ctrlKey;
      const isSearch = event.key === '/' && isPlain;
      const isHelp = event.key === '?' && isPlain;
      if (!isPalette && !isSearch && !isHelp) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      const field = document.querySelector<HTMLElement>('[data-search]');
      if (isHelp) openHelp();
      else if (isSearch && field !== null) field.focus();
      else openPalette();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
