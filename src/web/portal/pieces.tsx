/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { keepFocusNear } from '../parts/kept-focus.ts';
import { usePortal } from './portal.tsx';

/** A part of the page under its heading. */
export function Section({ id, title, note, children }: SectionProps) {
  return (
    <section class="section" aria-labelledby={id}>
      <div class="heading">
        <h2 id={id}>{title}</h2>
        {note === undefined ? null : <p>{note}</p>}
      </div>
      <div class="card">{children}</div>
    </section>
  );
}

interface SectionProps {
  id: string;
  title: string;
  note?: string;
  children: ComponentChildren;
}

/** A placeholder of about the same height while data loads, or a message that loading failed. */
export function Pending({ isFailed, retry, lines = 3 }: { isFailed: boolean; retry(): void; lines?: number }) {
  const { words, hasEnded } = usePortal();
  if (!isFailed) {
    return (
      <div class="pending">
        <span class="sr-only">{words.loading}</span>
        {'-'
          .repeat(lines)
          .split('')
          .map(() => (
            <span class="bone" />
          ))}
      </div>
    );
  }
  return (
    <div class="empty">
      <p>{words.partFailed}</p>
      {hasEnded ? null : (
        <BusyButton isBusy={false} onClick={retry}>
          {words.retry}
        </BusyButton>
      )}
    </div>
  );
}

/** What to do first, when there is no data yet. */
export function Empty({ title, hint }: { title: string; hint: string }) {
  return (
    <div class="empty">
      <p class="strong">{title}</p>
      <p>{hint}</p>
    </div>
  );
}

interface MoreProps {
  list: { hasMore: boolean; isLoading: boolean; isMoreFailed: boolean; more(): void };
}

/** The button under a list that has more pages; on paper, a sentence. */
export function More({ list }: MoreProps) {
  const { words } = usePortal();
  if (!list.hasMore) return null;
  return (
    <>
      <div class="more no-print">
        <BusyButton isBusy={list.isLoading} onClick={list.more}>
          {words.more}
        </BusyButton>
        <PartFailed isShown={list.isMoreFailed} />
      </div>
      <p class="more on-paper">{words.moreOnPage}</p>
    </>
  );
}

interface BusyButtonProps {
  /** The work is in progress: presses are ignored, and the button keeps the focus, which disabling would take. */
  isBusy: boolean;
  isMain?: boolean;
  onClick(): void;
  children: ComponentChildren;
}

/** When it goes away with the focus, the focus stays near. */
export function BusyButton({ isBusy, isMain = false, onClick, children }: BusyButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      if (current !== null) keepFocusNear(current);
    };
  }, []);
  return (
    <button
      ref={button}
      type="button"
      class={isMain ? 'button primary' : 'button'}
      aria-busy={isBusy}
      aria-disabled={isBusy}
      onClick={isBusy ? undefined : onClick}
    >
      {children}
    </button>
  );
}

/** A message beside the button that may be pressed again. */
export function PartFailed({ isShown }: { isShown: boolean }) {
  const { words } = usePortal();
  return isShown ? (
    <p class="problem" role="alert">
      {words.partFailed}
    </p>
  ) : null;
}

export type Tone = 'wait' | 'good' | 'done' | 'bad';

/** A state in words, with a dot in front of it. */
export function State({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class="state">
      <span class={`dot ${tone}`} aria-hidden="true" />
      {children}
    </span>
  );
}

/** Why the provider said no, in its own words. */
export function Refusal({ reason }: { reason: string }) {
  const { words } = usePortal();
  return (
    <div class="problem" role="alert">
      <p>{words.stripeRefused}</p>
      <p lang="en">{reason}</p>
    </div>
  );
}
