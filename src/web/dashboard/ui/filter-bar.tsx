import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { SEARCH_FIELD } from '../shell/shortcuts.ts';
import type { Option } from './field.tsx';
import { SavedViews } from './saved-views.tsx';

/** The filters of a list, and its saved views. */
export function FilterBar({ children }: { children: ReactNode }) {
  return (
    <search className="flex flex-wrap items-center gap-2">
      {children}
      <SavedViews />
    </search>
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
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onText(text.trim()), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onText]);
  return (
    <div className="relative w-full sm:w-64">
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

export function ChoiceFilter({ label, value = '', onChoose, options, none = 'all' }: ChoiceFilterProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChoose(event.target.value)}
      className={`h-8 max-w-44 rounded-md border pr-7 pl-2.5 text-sm ${value === '' ? 'border-input bg-background text-muted-foreground' : 'border-primary bg-accent text-accent-foreground'}`}
    >
      <option value="">
        {label}: {none}
      </option>
      {options.map(([option, words]) => (
        <option key={option} value={option}>
          {words}
        </option>
      ))}
    </select>
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
    <span className="inline-flex h-8 max-w-full items-center gap-1 rounded-md border border-primary bg-accent pr-1 pl-2.5 text-sm text-accent-foreground">
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
