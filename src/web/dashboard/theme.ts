/** `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark';

const STORED_AT = 'refbridge-theme';

/** The chosen theme. */
export function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED_AT);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Shows the theme, and stores it in this browser. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORED_AT, theme);
  showTheme(theme);
}

function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

// before the first paint, which waits for this script
showTheme(storedTheme());
