import { type ReactNode, useEffect, useId, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { SEARCH_FIELD } from '../shell/shortcuts.ts';
import type { Option } from './field.tsx';
import { SavedViews } from './saved-views.tsx';

interface FilterBarProps {
  /** The field that searches, which is always visible. */
  search?: ReactNode;
  /** How many of the other filters are set; without it, they only remove themselves, and a phone shows them, too. */
  count?: number;
  /** The other filters, which a phone shows on request. */
  children: ReactNode;
}

/** The filters of a list, and its saved views. */
export function FilterBar({ search, count, children }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <search className="flex flex-wrap items-center gap-2">
      {search}
      {count !== undefined && (
        <Button
          className={`h-8! px-2.5! font-normal! sm:hidden ${count > 0 ? 'border-primary! bg-accent! text-accent-foreground!' : ''}`}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="filter" /> Filters
          {count > 0 && <SetCount>{count}</SetCount>}
        </Button>
      )}
      {/* hidden rather than removed, so that a turned phone keeps what is typed there */}
      <div
        id={id}
        className={
          count === undefined
            ? 'contents'
            : `order-last w-full gap-2 rounded-lg border bg-card p-3 sm:contents ${isOpen ? 'grid' : 'hidden'}`
        }
      >
        {children}
      </div>
      <SavedViews />
    </search>
  );
}

function SetCount({ children }: { children: number }) {
  return (
    <span className="grid h-4 min-w-4 place-items-center rounded-full bg-primary px-1 text-[0.6875rem] font-semibold text-primary-foreground tabular-nums">
      {children}
      <span className="sr-only"> set</span>
    </span>
  );
}

const TYPING_PAUSE_MS = 250;

interface SearchFilterProps {
  label: string;
  value: string | undefined;
  onText(text: string): void;
}

/** Searches while typing; `/` focuses it. */
export function SearchFilter({ label, value = '', onText }: SearchFilterProps) {
  const [text, setText] = useState(value);
  useEffect(() => {
    // unless it is what was typed, without the blank before the next word
    setText((typed) => (typed.trim() === value ? typed : value));
  }, [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onText(text.trim()), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onText]);
  return (
    <div className={`relative w-full sm:w-64 ${text === '' ? 'print:hidden' : ''}`}>
      <Icon name="search" className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted-foreground" />
      <input
        {...SEARCH_FIELD}
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-8 w-full rounded-md border border-input bg-background pr-2 pl-8 text-sm"
      />
    </div>
  );
}

interface ChoiceFilterProps {
  label: string;
  value: string | undefined;
  onChoose(value: string): void;
  options: readonly Option[];
  /** What the list shows without a selection; `all` by default. */
  none?: string;
}

export function ChoiceFilter({ label, value = '', onChoose, options, none }: ChoiceFilterProps) {
  const unset = none ?? 'all';
  const words = value === '' ? unset : (options.find(([option]) => option === value)?.[1] ?? value);
  // without a selection, it is on paper only if the list leaves something out
  const unsetLook = `border-input bg-background text-muted-foreground ${none === undefined ? 'print:hidden' : ''}`;
  return (
    <span
      className={`relative inline-flex h-8 max-w-full items-center gap-1.5 rounded-md border pr-2 pl-2.5 text-sm has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring ${value === '' ? unsetLook : 'border-primary bg-accent text-accent-foreground'}`}
    >
      {/* the field itself would show the choice without the filter's name */}
      <span aria-hidden="true" className="min-w-0 flex-1 truncate">
        {label}: {words}
      </span>
      <Icon name="chevron" className="size-3" />
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onChoose(event.target.value)}
        className="absolute inset-0 size-full cursor-pointer opacity-0"
      >
        <option value="">
          {label}: {unset}
        </option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}

interface ChipProps {
  label: string;
  value: ReactNode;
  onRemove(): void;
}

/** A filter without its own field, because it came from a click on a value. */
export function FilterChip({ label, value, onRemove }: ChipProps) {
  return (
    <span className="inline-flex h-8 max-w-full items-center gap-1 rounded-md border max-sm:justify-between border-primary bg-accent pr-1 pl-2.5 text-sm text-accent-foreground">
      <span className="truncate">
        {label}: {value}
      </span>
      <Button
        look="quiet"
        size="small"
        className="size-6 justify-center px-0"
        aria-label={`Remove the filter ${label}`}
        onClick={onRemove}
      >
        <Icon name="close" className="size-3" />
      </Button>
    </span>
  );
}

/** A value in a table; a click on it sets a filter. */
export function FilterValue({ onFilter, label, children }: { onFilter(): void; label: string; children: ReactNode }) {
  return (
    <button
      type="button"
      title={label}
      onClick={onFilter}
      className="max-w-full truncate rounded text-left decoration-dotted underline-offset-4 hover:underline"
    >
      {children}
    </button>
  );
}
