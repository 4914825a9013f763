import type { Option } from './field.tsx';

interface TabsProps {
  label: string;
  tabs: readonly Option[];
  chosen: string;
  onChoose(name: string): void;
}

/** Parts of a page, one at a time; which one is in the address. */
export function Tabs({ label, tabs, chosen, onChoose }: TabsProps) {
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto border-b">
      {tabs.map(([name, words]) => (
        <button
          key={name}
          type="button"
          aria-current={name === chosen ? 'true' : undefined}
          onClick={() => onChoose(name)}
          className="-mb-px border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-muted-foreground -outline-offset-2 hover:text-foreground aria-[current]:border-primary aria-[current]:font-medium aria-[current]:text-foreground"
        >
          {words}
        </button>
      ))}
    </nav>
  );
}
