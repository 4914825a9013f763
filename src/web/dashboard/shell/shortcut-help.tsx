import { type ReactNode, useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { Check } from '../ui/field.tsx';
import { areKeysOn, switchKeys } from './shortcuts.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys that open the palette. */
export const PALETTE_KEYS = isApple ? '⌘K' : 'Ctrl K';

const SHORTCUTS: readonly (readonly [keys: readonly string[], words: string])[] = [
  [[PALETTE_KEYS], 'Go to a page, a partner or an id'],
  [['/'], 'Search the list'],
  [['j', 'k'], 'Go to the next row, or the one before'],
  [['x'], 'Select the row, with Shift all rows up to it'],
  [['a'], 'Go to the actions for the selected rows'],
  [['Esc'], 'Close the row or the dialog'],
  [['←', '→'], 'Read a chart point by point'],
  [['?'], 'Show these shortcuts'],
];

export function Key({ children }: { children: ReactNode }) {
  return <kbd className="rounded border bg-muted px-1.5 py-px font-sans text-xs text-foreground">{children}</kbd>;
}

/** The keyboard shortcuts, and the switch for those that dictated words or a brushed key would press. */
export function ShortcutHelp({ onClose }: { onClose(): void }) {
  const [areOn, setOn] = useState(areKeysOn);
  const change = (areOn: boolean) => {
    switchKeys(areOn);
    setOn(areOn);
  };
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-5 gap-y-2.5 text-sm">
        {SHORTCUTS.map(([keys, words]) => (
          <div key={words} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <Key key={key}>{key}</Key>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <div className="mt-5 border-t pt-4">
        <Check
          label="Single-key shortcuts"
          hint={`Switch them off if you press keys unintentionally, for example when you dictate. ${PALETTE_KEYS}, Esc and the arrows still work. This browser remembers it.`}
          checked={areOn}
          onCheck={change}
        />
      </div>
    </Dialog>
  );
}
