import { type KeyboardEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { Icon, type IconName } from '../../parts/icons.tsx';
import { useRead } from '../data/use-api.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SECTIONS } from './sections.ts';
import { Key } from './shortcut-help.tsx';
import { isComposing } from './shortcuts.ts';

interface Place {
  path: string;
  name: string;
  kind: string;
  icon: IconName;
  words?: string;
}

const PLACES: readonly Place[] = SECTIONS.map(({ path, name, icon, words }) => ({
  path,
  name,
  icon,
  words,
  kind: 'Page',
}));

/** Where a resource is shown, by the prefix of its id. */
const ID_PLACES: Readonly<Record<string, [path: string, kind: string, icon: IconName]>> = {
  sal: ['/sales/', 'Sale', 'sales'],
  ptr: ['/partners/', 'Partner', 'partners'],
  dlv: ['/deliveries/', 'Delivery', 'deliveries'],
  pay: ['/payouts/', 'Payout', 'payouts'],
  lnk: ['/links/', 'Link', 'links'],
  pmt: ['/unattributed/', 'Unattributed payment', 'unattributed'],
  pfl: ['/payout-files/', 'Payout file', 'file'],
  whe: ['/connections/', 'Connection', 'connections'],
  prg: ['/program/', 'Program', 'program'],
};

const SHOWN_MAX = 12;

function placeOfId(text: string): Place[] {
  const [path, kind, icon] = ID_PLACES[/^([a-z]{3})_\w+$/.exec(text)?.[1] ?? ''] ?? [];
  return path === undefined || kind === undefined || icon === undefined
    ? []
    : [{ path: path + text, name: text, kind, icon }];
}

/** Goes to any page, to a partner by name, or to anything by its id. */
export function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [, navigate] = useLocation();
  const listId = useId();
  const wanted = text.trim().toLowerCase();
  const query = { search: wanted, limit: SHOWN_MAX, archived: 'all' } as const;
  const partners = useRead('listPartners', { query }, { enabled: wanted !== '' });
  const people = (partners.data?.data ?? []).map(
    ({ id, name, email }): Place => ({
      path: `/partners/${id}`,
      name,
      kind: 'Partner',
      icon: 'partners',
      words: email,
    }),
  );
  const all = [...PLACES, ...people].filter((place) => isFound(place, wanted));
  // the sort is stable: places of equal rank stay in the order of the navigation
  all.sort((a, b) => rankOf(a, wanted) - rankOf(b, wanted));
  const found = [...placeOfId(text.trim()), ...all].slice(0, SHOWN_MAX);
  const go = (place: Place | undefined) => {
    if (place === undefined) return;
    onClose();
    navigate(place.path);
  };
  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((at + step + found.length) % Math.max(found.length, 1));
    else if (event.key === 'Enter') go(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose} bare className="mt-[12vh] max-w-lg">
      <div className="flex items-center gap-2.5 border-b px-4">
        <Icon name="search" className="size-4 text-muted-foreground" />
        <input
          autoFocus
          role="combobox"
          aria-label="Go to a page, a partner or an id"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={found[at] && `${listId}-${at}`}
          placeholder="A page, a partner, or an id such as sal_…"
          className="h-12 w-full bg-transparent text-sm outline-none"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKey}
        />
      </div>
      <div role="listbox" id={listId} aria-label="Places" className="max-h-80 overflow-y-auto p-1.5">
        {found.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div
            key={place.path}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseMove={() => setAt(index)}
            onClick={() => go(place)}
            className="flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-sm aria-selected:bg-accent aria-selected:text-accent-foreground"
          >
            <Icon name={place.icon} />
            <bdi className="truncate">{place.name}</bdi>
            <span className="ml-auto text-xs text-muted-foreground">{place.kind}</span>
          </div>
        ))}
        {found.length === 0 && (
          <p className="px-2.5 py-4 text-sm text-muted-foreground">
            {partners.isFetching ? 'Searching…' : "No matches. Paste an id, or type how a partner's name begins."}
          </p>
        )}
      </div>
      <p className="hidden gap-4 border-t px-4 py-2 text-xs text-muted-foreground sm:flex" aria-hidden="true">
        <span>
          <Key>↑</Key> <Key>↓</Key> choose
        </span>
        <span>
          <Key>Enter</Key> open
        </span>
      </p>
    </Dialog>
  );
}

/** Matches in names come before matches in further words, and matches at the start before others. */
function rankOf({ name }: Place, wanted: string): number {
  const at = name.toLowerCase().indexOf(wanted);
  return at === 0 ? 0 : at > 0 ? 1 : 2;
}

function isFound({ name, words = '' }: Place, wanted: string): boolean {
  return `${name} ${words}`.toLowerCase().includes(wanted);
}
