import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { isTyping } from '../shell/shortcuts.ts';

interface SplitProps {
  children: ReactNode;
  /** Beside the list on a wide screen, instead of it on a narrow one; null when no row is open. */
  detail: ReactNode;
}

/** A list, and the row that is open; on paper, the row alone. */
export function Split({ children, detail }: SplitProps) {
  const list = useRef<HTMLDivElement>(null);
  const isOpen = detail !== null;
  useFocusOnDetail(list, isOpen);
  return (
    // a grid would leave the first sheet blank for the sake of a row that fits on the second
    <div className={isOpen ? 'grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_29rem] print:block' : ''}>
      <div ref={list} className={`min-w-0 ${isOpen ? 'hidden xl:block print:hidden' : ''}`}>
        {children}
      </div>
      {detail}
    </div>
  );
}

/**
 * Keeps the focus, and on a narrow screen the place: what opens instead of the list gets the focus, and when it closes,
 * the row that was open.
 */
function useFocusOnDetail(list: React.RefObject<HTMLDivElement | null>, isOpen: boolean): void {
  const wasOpen = useRef(isOpen);
  const isHidden = useRef(false);
  const row = useRef<HTMLElement | null>(null);
  useEffect(() => {
    // the opened row, also after another one was opened beside the list
    if (isOpen) row.current = list.current?.querySelector<HTMLElement>('tr[aria-current] a') ?? null;
  });
  useEffect(() => {
    if (wasOpen.current === isOpen) return;
    wasOpen.current = isOpen;
    if (isOpen) {
      isHidden.current = list.current?.checkVisibility() === false;
      if (isHidden.current) list.current?.nextElementSibling?.querySelector('h2')?.focus();
    } else if (document.activeElement === document.body) {
      row.current?.focus({ preventScroll: !isHidden.current });
    }
  }, [list, isOpen]);
}

/** Nothing in it has loaded yet. */
const BONES_WHILE_EMPTY =
  'empty:before:h-4 empty:before:w-3/5 empty:before:rounded empty:before:bg-secondary empty:after:h-40 empty:after:rounded empty:after:bg-secondary';

interface DetailProps {
  title: ReactNode;
  /** The kind of the resource, for screen readers. */
  label: string;
  /** The address of the list. */
  back: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** One opened row. Escape closes it. */
export function Detail({ title, label, back, actions, children }: DetailProps) {
  const [, navigate] = useLocation();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isElsewhere = document.querySelector('dialog[open]') !== null || isTyping(event.target);
      if (event.key !== 'Escape' || isElsewhere) return;
      // the same press would also close the question that this may open
      event.preventDefault();
      navigate(back);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, back]);
  return (
    <section
      aria-label={label}
      className="min-w-0 rounded-lg border bg-card wrap-anywhere xl:sticky xl:top-5 xl:max-h-[calc(100dvh-2.5rem)] xl:overflow-y-auto xl:scroll-pt-16 print:static print:max-h-none print:overflow-visible print:[&_button]:hidden"
    >
      <header className="top-(--bar) z-10 flex flex-wrap items-center gap-2 rounded-t-lg border-b bg-card px-4 py-2.5 tall:sticky">
        {/* a part of an amount would be another amount */}
        <h2 tabIndex={-1} className="line-clamp-2 min-w-14 flex-1 font-semibold">
          <bdi>{title}</bdi>
        </h2>
        <div className="ml-auto flex items-center gap-2">
          {actions}
          <Link
            href={back}
            aria-label="Close"
            title="Close (Escape)"
            className={`${buttonClass('quiet', 'icon')} print:hidden`}
          >
            <Icon name="close" />
          </Link>
        </div>
      </header>
      <div className={`flex flex-col gap-6 p-4 ${BONES_WHILE_EMPTY}`}>{children}</div>
    </section>
  );
}

/** A heading inside a detail, with its content. */
export function Part({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-2.5">
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-2">
        <h3 className="text-xs font-semibold tracking-wide text-muted-foreground uppercase">{title}</h3>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** Under a list of the newest: where the others are, if there are any. */
export function AllOfThem({ href }: { href: string | null }) {
  if (href === null) return null;
  return (
    <Link href={href} className="text-sm text-primary hover:underline">
      All of them
    </Link>
  );
}

/** Pairs of a name and a value; pairs without a value are omitted. */
export function Facts({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(5rem,auto)_minmax(0,1fr)] gap-x-4 max-[16rem]:grid-cols-1 sm:grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] gap-y-1.5 text-sm">
      {items
        .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted-foreground">{name}</dt>
            <dd className="min-w-0 wrap-anywhere">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
