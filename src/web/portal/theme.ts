import type { Config, Settings } from './start.ts';

type Properties = Record<string, unknown>;

const PROPERTIES_MAX = 60;
const CHARACTERS_MAX = 200;

/** The names of shadcn's themes. */
const NAMES = new Set(
  (
    'background foreground card card-foreground popover popover-foreground primary primary-foreground secondary ' +
    'secondary-foreground muted muted-foreground accent accent-foreground destructive destructive-foreground border input ' +
    'ring radius chart-1 chart-2 chart-3 chart-4 chart-5'
  ).split(' '),
);

const DANGEROUS = /[;{}<>\\@]|url\(|expression\(|\/\*/i;

/** `222 47% 11%`, the form in earlier themes. */
const HSL_TRIPLE = /^-?[\d.]+(?:deg)?\s+[\d.]+%\s+[\d.]+%(?:\s*\/\s*[\d.]+%?)?$/;

/** The value in CSS syntax; null for anything but a color or, for `radius`, a length. */
function themeValue(name: string, value: unknown): string | null {
  if (typeof value !== 'string' || value.length > CHARACTERS_MAX || DANGEROUS.test(value)) return null;
  const text = value.trim();
  const whole = HSL_TRIPLE.test(text) ? `hsl(${text})` : text;
  return CSS.supports(name === 'radius' ? 'border-radius' : 'color', whole) ? whole : null;
}

function validProperties(properties: Properties): Map<string, string> {
  const valid = new Map<string, string>();
  for (const [given, value] of Object.entries(properties).slice(0, PROPERTIES_MAX)) {
    const name = given.replace(/^--/, '');
    const text = NAMES.has(name) ? themeValue(name, value) : null;
    if (text !== null) valid.set(name, text);
  }
  return valid;
}

const system = matchMedia('(prefers-color-scheme: dark)');

/** Applies the program's theme and then the address's, in light or dark; follows the system by default. */
export function applyTheme(config: Config | undefined, { theme, cssVars, themeOptions }: Settings): void {
  const root = document.documentElement;
  const themes = config?.theme.shadcnTheme;
  // a frame lets the page around it show through; alone, there is nothing behind it
  const alone = window.parent === window ? 'var(--background)' : null;
  const background = themeValue('background', themeOptions.backgroundColor) ?? alone;
  const apply = () => {
    const isDark = theme === 'system' ? system.matches : theme === 'dark';
    root.dataset.theme = isDark ? 'dark' : 'light';
    const ofProgram = validProperties(themes?.[isDark ? 'dark' : 'light'] ?? {});
    for (const name of NAMES) root.style.removeProperty(`--${name}`);
    for (const [name, value] of [...ofProgram, ...validProperties(cssVars)]) root.style.setProperty(`--${name}`, value);
  };
  apply();
  // in place of that of the last theme: a preview applies one with each change
  if (theme === 'system') system.onchange = apply;
  if (config !== undefined) root.style.setProperty('--font', config.theme.fontFamily);
  if (background !== null) root.style.setProperty('--page', background);
}
