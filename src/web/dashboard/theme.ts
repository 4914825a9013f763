/** `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark';

const STORED_AT = 'refbridge-theme';

/** The chosen theme; the device's where the browser lets the page store nothing. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(STORED_AT);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
}

/** Shows the theme, and stores it in this browser. */
export function chooseTheme(theme: Theme): void {
  showTheme(theme);
  try {
    localStorage.setItem(STORED_AT, theme);
  } catch {
    // then it lasts until the page is loaded again
  }
}

function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

// before the first paint, which waits for this script
showTheme(storedTheme());
