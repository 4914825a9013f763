import { useState } from 'react';
import { Icon, type IconName } from '../../parts/icons.tsx';
import { chooseTheme, storedTheme, type Theme } from '../theme.ts';

const THEMES: readonly [Theme, string, IconName][] = [
  ['light', 'Light theme', 'sun'],
  ['dark', 'Dark theme', 'moon'],
  ['system', 'Device theme', 'device'],
];

export function ThemeMenu() {
  const [theme, setTheme] = useState(storedTheme);
  return (
    <fieldset className="flex w-fit gap-0.5 rounded-md border p-0.5">
      <legend className="sr-only">Theme</legend>
      {THEMES.map(([name, label, icon]) => (
        <label
          key={name}
          title={label}
          className="grid size-6 cursor-pointer place-items-center rounded-sm text-muted-foreground hover:text-foreground has-checked:bg-secondary has-checked:text-foreground has-focus-visible:outline-2 has-focus-visible:outline-ring"
        >
          <input
            type="radio"
            name="theme"
            className="sr-only"
            aria-label={label}
            checked={theme === name}
            onChange={() => {
              chooseTheme(name);
              setTheme(name);
            }}
          />
          <Icon name={icon} className="size-3.5" />
        </label>
      ))}
    </fieldset>
  );
}
