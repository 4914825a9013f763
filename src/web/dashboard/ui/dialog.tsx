import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { showToastsIn } from '../shell/toasts.tsx';

interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
  /** Omits the dialog's own header: the content has one. */
  bare?: boolean;
  className?: string;
}

/** A modal dialog of the browser: it keeps the focus inside, closes with Escape, and returns the focus. */
export function Dialog({ title, onClose, children, bare = false, className = 'max-w-md' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current as HTMLDialogElement;
    dialog.showModal();
    const leave = showToastsIn(dialog);
    return () => {
      leave();
      // before React removes it from the page, which would not return the focus
      dialog.close();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog
      ref={element}
      aria-label={title}
      // the event comes later: after the removal, nobody waits for it
      onClose={() => element.current !== null && onClose()}
      onClick={(event) => {
        if (event.target === element.current) element.current.close();
      }}
      className={`m-auto max-h-[calc(100dvh-2rem)] w-[calc(100%-2rem)] overflow-y-auto rounded-lg border bg-popover text-popover-foreground shadow-2xl backdrop:bg-black/40 ${className}`}
    >
      {bare ? (
        children
      ) : (
        <div className="p-5">
          <div className="mb-4 flex items-start justify-between gap-4">
            <h2 className="text-base font-semibold">{title}</h2>
            <Button
              look="quiet"
              size="icon"
              className="-mt-1.5 -mr-1.5"
              aria-label="Close"
              onClick={() => element.current?.close()}
            >
              <Icon name="close" />
            </Button>
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}
