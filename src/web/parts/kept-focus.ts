/** What may take over the focus from something in it, from the inside outwards. */
const PLACES = 'td, li, search, section, table, dialog, main';

/**
 * Keeps the focus nearby when an element goes away with the focus on it, or in it, because its work is done: otherwise the
 * focus is on nothing, and a screen reader begins at the top of the page again. Call it while the element is still there.
 */
export function keepFocusNear(gone: Element): void {
  if (gone.contains(document.activeElement)) focusNearestLater(gone);
}

/** Once it is known what stays, and unless something else has taken the focus, such as the button that opened a dialog. */
function focusNearestLater(gone: Element): void {
  const places: HTMLElement[] = [];
  for (let place = gone.closest<HTMLElement>(PLACES); place !== null; ) {
    places.push(place);
    place = place.parentElement?.closest<HTMLElement>(PLACES) ?? null;
  }
  const row = gone.closest('tr');
  const href = row?.querySelector('a')?.getAttribute('href') ?? '';
  const at = controlsOf(row).indexOf(document.activeElement as HTMLElement);
  setTimeout(() => {
    const nearest = places.find((place) => place.isConnected);
    if (nearest === undefined || document.activeElement !== document.body) return;
    // a row that others have moved on is made anew; its first link tells rows apart
    const again = row?.isConnected === false ? nearest.querySelector(`tr:has(a[href="${CSS.escape(href)}"])`) : null;
    const control = controlsOf(again)[at];
    if (control !== undefined) return control.focus({ preventScroll: true });
    const isFocusable = nearest.hasAttribute('tabindex');
    nearest.tabIndex = -1;
    nearest.focus({ preventScroll: true });
    // a press on it would move the focus
    if (!isFocusable) nearest.addEventListener('blur', () => nearest.removeAttribute('tabindex'), { once: true });
  });
}

function controlsOf(row: Element | null): HTMLElement[] {
  return row === null ? [] : [...row.querySelectorAll<HTMLElement>('a, button, input')];
}
