import { useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { createListeners } from '../../parts/listeners.ts';

interface Toast {
  id: number;
  tone: 'good' | 'bad';
  text: string;
}

const SHOWN_MS = 5_000;

let toasts: readonly Toast[] = [];
let lastId = 0;
/** The page, and the open dialogs on it. What is outside of the last one cannot be pressed and is not announced. */
let hosts: readonly Element[] = [document.body];
const { subscribe, tell } = createListeners();

function setToasts(next: readonly Toast[]): void {
  toasts = next;
  tell();
}

/** Shows toasts inside a modal dialog, until the returned function is called. */
export function showToastsIn(dialog: Element): () => void {
  hosts = [...hosts, dialog];
  setToasts(toasts);
  return () => {
    hosts = hosts.filter((other) => other !== dialog);
    setToasts(toasts);
  };
}

/** Shows a message for a moment; a problem stays until it is closed. Returns a function that closes it. */
export function showToast(tone: Toast['tone'], text: string): () => void {
  lastId += 1;
  const toast = { id: lastId, tone, text };
  setToasts([...toasts.filter((shown) => shown.text !== text).slice(-2), toast]);
  if (tone === 'good') setTimeout(() => closeToast(toast.id), SHOWN_MS);
  return () => closeToast(toast.id);
}

function closeToast(id: number): void {
  setToasts(toasts.filter((toast) => toast.id !== id));
}

/** Where toasts appear; screen readers announce only what is put into a region that was there before. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const all = useSyncExternalStore(subscribe, () => hosts);
  return all.map((host, index) =>
    createPortal(<Messages shown={host === all.at(-1) ? shown : []} />, host, String(index)),
  );
}

function Messages({ shown }: { shown: readonly Toast[] }) {
  return (
    <section
      aria-label="Messages"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-3 z-50 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, tone, text }) => (
        <div
          key={id}
          className="pointer-events-auto flex max-w-md items-start gap-2.5 rounded-lg border bg-popover px-3 py-2.5 text-sm text-popover-foreground shadow-lg"
        >
          <Icon
            name={tone === 'good' ? 'check' : 'warning'}
            className={`mt-0.5 size-4 ${tone === 'good' ? 'text-success' : 'text-destructive'}`}
          />
          <span className="min-w-0 break-words">{text}</span>
          <Button look="quiet" size="small" className="-my-0.5 px-1" aria-label="Close" onClick={() => closeToast(id)}>
            <Icon name="close" className="size-3" />
          </Button>
        </div>
      ))}
    </section>
  );
}
