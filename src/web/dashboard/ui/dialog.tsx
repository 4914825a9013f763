import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { showToastsIn } from '../shell/toasts.tsx';
import { lossIn, useShownOnce } from './unsent.ts';

interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
  /** Omits the dialog's own header: the content has one. */
  bare?: boolean;
  /** What closing it loses: `The key is not shown again.` By default, what was typed and not sent. */
  loses?: string | undefined;
  className?: string;
}

const FIRST_FIELD = 'form :is(input:not([type="radio"]), [type="radio"]:checked, select, textarea):enabled';

/**
 * A modal dialog of the browser: it keeps the focus inside, closes with Escape, and returns the focus. It asks before
 * something is lost; Escape again closes it nevertheless.
 */
export function Dialog({ title, onClose, children, bare = false, loses, className = 'max-w-md' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const isPressedOutside = useRef(false);
  const [question, setQuestion] = useState<string | null>(null);
  useLayoutEffect(() => {
    const dialog = element.current as HTMLDialogElement;
    dialog.showModal();
    dialog.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    const leave = showToastsIn(dialog);
    // in a part of the page that Back or a smaller window has hidden, it would block the page
    const hiding = new ResizeObserver(() => dialog.checkVisibility() || dialog.close());
    hiding.observe(dialog);
    return () => {
      leave();
      hiding.disconnect();
      // before React removes it from the page, which would not return the focus
      dialog.close();
    };
  }, []);
  useShownOnce(element, loses);
  const close = () => element.current?.close();
  /** Whether it asked, because closing now would lose something. */
  const ask = () => {
    const lost = element.current && lossIn(element.current);
    setQuestion(lost);
    return lost !== null;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog
      ref={element}
      aria-label={title}
      // the event comes later: after the removal, nobody waits for it
      onClose={() => element.current !== null && onClose()}
      onCancel={(event) => {
        // not that of a file chooser inside
        if (event.target === element.current && question === null && ask()) event.preventDefault();
      }}
      onInput={() => setQuestion(null)}
      onSubmit={() => setQuestion(null)}
      // a selection of text may end outside
      onPointerDown={({ target }) => {
        isPressedOutside.current = target === element.current;
      }}
      onClick={({ target }) => {
        if (target === element.current && isPressedOutside.current && !ask()) close();
      }}
      className={`m-auto max-h-[calc(100dvh-2rem)] w-[calc(100%-2rem)] overflow-y-auto rounded-lg border bg-popover whitespace-normal text-popover-foreground shadow-2xl backdrop:bg-black/40 ${className}`}
    >
      {bare ? (
        children
      ) : (
        <div className="p-5">
          <div className="mb-4 flex items-start justify-between gap-4">
            <h2 className="min-w-0 text-base font-semibold wrap-anywhere">{title}</h2>
            <Button
              look="quiet"
              size="icon"
              className="-mt-1.5 -mr-1.5"
              aria-label="Close"
              onClick={() => ask() || close()}
            >
              <Icon name="close" />
            </Button>
          </div>
          {children}
        </div>
      )}
      {question !== null && (
        <div
          role="alert"
          className="sticky bottom-0 z-10 flex flex-wrap items-center gap-x-3 gap-y-2 border-t bg-popover px-5 py-3 text-sm"
        >
          <p className="mr-auto">{question}</p>
          <div className="flex gap-2">
            <Button size="small" onClick={() => setQuestion(null)}>
              Keep it open
            </Button>
            <Button size="small" look="danger" onClick={close}>
              Close anyway
            </Button>
          </div>
        </div>
      )}
    </dialog>
  );
}
