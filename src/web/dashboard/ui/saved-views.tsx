import { type FormEvent, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { NAME_MAX, type SavedView, sortedSearch, useSavedViews, VIEWS_MAX } from '../data/saved-views.ts';
import { useOperator } from '../shell/session.tsx';
import { showToast } from '../shell/toasts.tsx';
import { INPUT } from './field.tsx';
import { Menu } from './menu.tsx';

/** The filters that the operator saved for this list, beside the current ones. */
export function SavedViews() {
  const [path] = useLocation();
  const list = `/${path.split('/')[1] ?? ''}`;
  const current = sortedSearch(useSearch());
  const rows = useRef<HTMLUListElement>(null);
  const { views, store } = useSavedViews(useOperator().id, list);
  const change = (next: readonly SavedView[]) => {
    if (!store(next)) showToast('bad', 'This browser does not let the page store anything.');
    // the field or button that was used goes away
    rows.current?.focus();
  };
  const known = views.find(({ search }) => search === current);
  return (
    <Menu
      title="Saved views"
      small
      label={
        <>
          <Icon name="view" /> {known?.name ?? 'Views'}
        </>
      }
    >
      {(close) => (
        <div className="flex flex-col gap-3">
          {views.length > 0 && (
            <ul ref={rows} tabIndex={-1} className="-mx-1 flex max-h-64 flex-col overflow-y-auto">
              {views.map((view, index) => (
                <ViewRow
                  key={view.name}
                  view={view}
                  href={view.search === '' ? list : `${list}?${view.search}`}
                  isCurrent={view === known}
                  onOpen={close}
                  onRename={(name) => change(views.map((other, at) => (at === index ? { ...other, name } : other)))}
                  onDelete={() => change(views.filter((_, at) => at !== index))}
                  isTaken={(name) => views.some((other, at) => at !== index && other.name === name)}
                />
              ))}
            </ul>
          )}
          <SaveForm
            hasFilters={current !== ''}
            known={known}
            isFull={views.length >= VIEWS_MAX}
            onSave={(name) => {
              change([...views.filter((view) => view.name !== name), { name, search: current }]);
              close();
            }}
          />
          <p className="text-xs text-muted-foreground">Stored in this browser, for you alone.</p>
        </div>
      )}
    </Menu>
  );
}

/** A person who opens a field wants to type in it. */
const focusIt = (field: HTMLInputElement | null) => field?.focus();

interface SaveFormProps {
  hasFilters: boolean;
  /** The saved view with the same filters. */
  known: SavedView | undefined;
  isFull: boolean;
  onSave(name: string): void;
}

function SaveForm({ hasFilters, known, isFull, onSave }: SaveFormProps) {
  const [name, setName] = useState('');
  if (known !== undefined) return null;
  if (!hasFilters) {
    return <p className="text-muted-foreground">Set some filters, then save them here under a name.</p>;
  }
  if (isFull) return <p className="text-muted-foreground">There are {VIEWS_MAX}. Delete one to save another.</p>;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') onSave(name.trim());
  };
  return (
    <form onSubmit={send} className="flex gap-2">
      <input
        ref={focusIt}
        aria-label="Name of these filters"
        placeholder="Name these filters"
        maxLength={NAME_MAX}
        value={name}
        onChange={(event) => setName(event.target.value)}
        className={`${INPUT} h-8 min-w-0`}
      />
      <Button type="submit" look="primary" size="small" className="h-8" disabled={name.trim() === ''}>
        Save
      </Button>
    </form>
  );
}

interface ViewRowProps {
  view: SavedView;
  href: string;
  isCurrent: boolean;
  onOpen(): void;
  onRename(name: string): void;
  onDelete(): void;
  isTaken(name: string): boolean;
}

function ViewRow({ view: { name }, href, isCurrent, onOpen, onRename, onDelete, isTaken }: ViewRowProps) {
  const [text, setText] = useState<string | null>(null);
  if (text !== null) {
    const wanted = text.trim();
    const rename = (event: FormEvent) => {
      event.preventDefault();
      if (wanted === '' || isTaken(wanted)) return;
      onRename(wanted);
      setText(null);
    };
    return (
      <li className="p-1">
        <form onSubmit={rename} className="flex gap-2">
          <input
            ref={focusIt}
            aria-label={`New name of ${name}`}
            aria-invalid={isTaken(wanted) || undefined}
            maxLength={NAME_MAX}
            value={text}
            onChange={(event) => setText(event.target.value)}
            className={`${INPUT} h-8 min-w-0`}
          />
          <Button type="submit" size="small" className="h-8" disabled={wanted === '' || isTaken(wanted)}>
            Rename
          </Button>
        </form>
      </li>
    );
  }
  return (
    <li className="flex items-center gap-0.5 rounded-md hover:bg-secondary has-aria-[current]:bg-accent">
      <Link
        href={href}
        aria-current={isCurrent ? 'true' : undefined}
        onClick={onOpen}
        dir="auto"
        className="min-w-0 flex-1 truncate px-2 py-1.5 text-left aria-[current]:font-medium aria-[current]:text-accent-foreground"
      >
        {name}
      </Link>
      <Button
        look="quiet"
        size="icon"
        className="size-7"
        aria-label={`Rename ${name}`}
        title="Rename"
        onClick={() => setText(name)}
      >
        <Icon name="pencil" className="size-3.5" />
      </Button>
      <Button
        look="quiet"
        size="icon"
        className="size-7"
        aria-label={`Delete ${name}`}
        title="Delete"
        onClick={onDelete}
      >
        <Icon name="close" className="size-3.5" />
      </Button>
    </li>
  );
}
