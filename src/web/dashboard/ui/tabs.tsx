import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Option } from './field.tsx';
import { SteadyWords } from './steady-words.tsx';

interface TabsProps {
  label: string;
  tabs: readonly Option[];
  chosen: string;
  onChoose(name: string): void;
}

/** Parts of a page, shown one at a time; the address names the current one. */
export function Tabs({ label, tabs, chosen, onChoose }: TabsProps) {
  const current = useRef<HTMLButtonElement>(null);
  // a phone shows only some of them at a time, and the edge of the next one
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen
  useEffect(() => {
    if (current.current !== null) bringIntoStrip(current.current);
  }, [chosen]);
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto shadow-[inset_0_-1px_var(--border)]">
      {tabs.map(([name, words]) => (
        <button
          key={name}
          ref={name === chosen ? current : undefined}
          type="button"
          aria-current={name === chosen ? 'true' : undefined}
          onClick={() => onChoose(name)}
          className="border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-muted-foreground -outline-offset-2 hover:text-foreground aria-[current]:border-primary aria-[current]:font-medium aria-[current]:text-foreground"
        >
          <SteadyWords>{words}</SteadyWords>
        </button>
      ))}
    </nav>
  );
}

/** How much of its neighbors shows that the strip goes on. */
const NEIGHBOR_PIXELS = 32;

/** Scrolls the strip alone: after `scrollIntoView`, the next press of Tab would go on from there, past the navigation. */
function bringIntoStrip(tab: HTMLElement): void {
  const strip = tab.parentElement;
  if (strip === null) return;
  const [{ left, right }, edges] = [tab.getBoundingClientRect(), strip.getBoundingClientRect()];
  const beforeStart = left - NEIGHBOR_PIXELS - edges.left;
  const beyondEnd = right + NEIGHBOR_PIXELS - edges.right;
  strip.scrollLeft += beforeStart < 0 ? beforeStart : Math.max(0, beyondEnd);
}

/** What a tab shows. Once something was typed there, it stays behind the other tabs, so that the text is not lost. */
export function TabPanel({ isChosen, children }: { isChosen: boolean; children: ReactNode }) {
  const [isTyped, setTyped] = useState(false);
  if (!isChosen && !isTyped) return null;
  return (
    <div hidden={!isChosen} className="min-w-0" onInput={() => setTyped(true)}>
      {children}
    </div>
  );
}
