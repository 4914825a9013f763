import { useEffect } from 'react';

/** What `/` focuses: the search field of the page. */
export const SEARCH_FIELD = { 'data-search': '' } as const;

/** Whether a key pressed in this element would be typed as text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

const STORED_AT = 'refbridge-single-keys';

let areSingleKeysOn = readStored();

/** Unless the browser lets the page store nothing. */
function readStored(): boolean {
  try {
    return localStorage.getItem(STORED_AT) !== 'off';
  } catch {
    return true;
  }
}

export function areKeysOn(): boolean {
  return areSingleKeysOn;
}

/** Switches the shortcuts of a single key on or off, and stores that in this browser. */
export function switchKeys(areOn: boolean): void {
  areSingleKeysOn = areOn;
  try {
    localStorage.setItem(STORED_AT, areOn ? 'on' : 'off');
  } catch {
    // then it lasts until the page is loaded again
  }
}

/** Whether a key may be a shortcut by itself. */
export function isSingleKey(event: KeyboardEvent): boolean {
  return areSingleKeysOn && isForPage(event);
}

/** Whether a key is for the page: it is typed nowhere, no dialog is open, and it goes with no modifier but Shift. */
export function isForPage({ target, metaKey, ctrlKey, altKey }: KeyboardEvent): boolean {
  if (metaKey || ctrlKey || altKey || document.querySelector('dialog[open]') !== null) return false;
  return !isTyping(target) || isBox(target);
}

/** Whether the target is a checkbox, which takes no text. */
function isBox(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === 'checkbox';
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
      const isSearch = event.key === '/' && isSingleKey(event);
      const isHelp = event.key === '?' && isSingleKey(event);
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
