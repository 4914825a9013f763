import { type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { isComposing } from '../shell/shortcuts.ts';

interface MenuProps {
  /** The text of the button. */
  label: ReactNode;
  /** What opens, for screen readers. */
  title: string;
  /** As tall as the filters beside it. */
  small?: boolean;
  /** Whether the filter is set; it then looks like other filters that are set. */
  isOn?: boolean;
  children(close: () => void): ReactNode;
}

/** A button, and a panel that it opens below: closes with Escape, a press elsewhere, or when the focus leaves. */
export function Menu({ label, title, small = false, isOn, children }: MenuProps) {
  const [side, setSide] = useState<'left' | 'right' | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const isOpen = side !== null;
  const close = useCallback(() => {
    setSide(null);
    box.current?.querySelector('button')?.focus();
  }, []);
  useEffect(() => {
    if (!isOpen) return;
    const onPress = ({ target }: PointerEvent) => {
      if (!box.current?.contains(target as Node)) setSide(null);
    };
    // before anything else that Escape closes, wherever the focus is
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || isComposing(event)) return;
      event.stopPropagation();
      close();
    };
    addEventListener('pointerdown', onPress);
    addEventListener('keydown', onKey, true);
    return () => {
      removeEventListener('pointerdown', onPress);
      removeEventListener('keydown', onKey, true);
    };
  }, [isOpen, close]);
  const toggle = () => {
    if (isOpen) return setSide(null);
    const { left = 0 } = box.current?.getBoundingClientRect() ?? {};
    setSide(left > innerWidth / 2 ? 'right' : 'left');
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: notices where the focus goes, and is nothing to press
    <div
      ref={box}
      // a press on what takes no focus, which in Safari is every button, would give it to something outside
      tabIndex={-1}
      // on paper, only what filters the list
      className={`min-w-0 sm:relative ${isOn ? '' : 'print:hidden'}`}
      onBlur={({ relatedTarget }) => {
        // there is no new target when the button that had the focus disappears
        if (relatedTarget !== null && !box.current?.contains(relatedTarget)) setSide(null);
      }}
    >
      <Button
        className={`${small ? 'h-8! px-2.5! font-normal!' : ''} ${isOn === undefined ? '' : `max-sm:w-full max-sm:justify-start ${isOn ? 'border-primary! bg-accent! text-accent-foreground!' : 'text-muted-foreground!'}`}`}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={toggle}
      >
        {label}
      </Button>
      {isOpen && (
        <section
          id={id}
          aria-label={title}
          className={`absolute inset-x-4 z-20 mt-1.5 rounded-lg border bg-popover p-3 text-sm text-popover-foreground shadow-lg sm:inset-x-auto sm:w-80 ${side === 'left' ? 'sm:left-0' : 'sm:right-0'}`}
        >
          {children(close)}
        </section>
      )}
    </div>
  );
}
