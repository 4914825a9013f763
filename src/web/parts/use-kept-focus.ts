import { type RefObject, useLayoutEffect } from 'react';
import { keepFocusNear } from './kept-focus.ts';

/** Keeps the focus near the element when it goes away. */
export function useKeptFocus(element: RefObject<Element | null>): void {
  useLayoutEffect(() => {
    const { current: kept } = element;
    return () => {
      if (kept !== null) keepFocusNear(kept);
    };
  }, [element]);
}
