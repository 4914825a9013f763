import { useSyncExternalStore } from 'react';
import { createListeners } from '../../parts/listeners.ts';

/** The filters of a list under a name. */
export interface SavedView {
  name: string;
  /** Without the leading `?`, its parameters in order. */
  search: string;
}

export const NAME_MAX = 60;
export const VIEWS_MAX = 30;

/** An operator belongs to one account, so views are of one account and one person. */
const keyOf = (operatorId: string, list: string) => `refbridge-views:${operatorId}:${list}`;

/** By key: the stored text and its parsed views, so that the same text always gives the same objects. */
const read = new Map<string, { text: string | null; views: readonly SavedView[] }>();
const here = createListeners();

function viewsAt(key: string): readonly SavedView[] {
  const text = storedText(key);
  const known = read.get(key);
  if (known?.text === text && known !== undefined) return known.views;
  const views = viewsIn(text);
  read.set(key, { text, views });
  return views;
}

function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** The stored text may come from another version, or from a person. */
function viewsIn(text: string | null): readonly SavedView[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isView).slice(0, VIEWS_MAX) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is SavedView {
  const { name, search } = (value ?? {}) as Partial<SavedView>;
  return typeof name === 'string' && typeof search === 'string';
}

function subscribe(listener: () => void): () => void {
  const leave = here.subscribe(listener);
  // changes in another tab
  addEventListener('storage', listener);
  return () => {
    leave();
    removeEventListener('storage', listener);
  };
}

/**
 * The views of a list that somebody saved in this browser, and a function that replaces them: false when the browser
 * cannot store them.
 */
export function useSavedViews(operatorId: string, list: string) {
  const key = keyOf(operatorId, list);
  const views = useSyncExternalStore(subscribe, () => viewsAt(key));
  const store = (next: readonly SavedView[]): boolean => {
    try {
      localStorage.setItem(key, JSON.stringify(next.slice(0, VIEWS_MAX)));
    } catch {
      return false;
    }
    here.tell();
    return true;
  };
  return { views, store };
}

/** The parameters of an address in a fixed order, so that the same filters are the same view. */
export function sortedSearch(search: string): string {
  const parameters = new URLSearchParams(search);
  parameters.sort();
  return parameters.toString();
}
