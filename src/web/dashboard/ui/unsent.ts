import { useEffect, useRef, useSyncExternalStore } from 'react';
import { createListeners } from '../../parts/listeners.ts';

/** What is on the page and nowhere else: the input of a form, or a key that is shown once. */
interface Unsent {
  element: Element;
  /** What a question before its loss says. */
  loses: string;
  /** It is on its way: only a refusal could still make it a loss. */
  isSending: boolean;
}

let all: readonly Unsent[] = [];
const { subscribe, tell } = createListeners();

/** The browser asks before the page is closed or loaded again. */
const onBeforeUnload = (event: Event) => event.preventDefault();

function setAll(next: readonly Unsent[]): void {
  all = next;
  // while it listens, some browsers do not keep the page for Back
  if (all.length > 0) addEventListener('beforeunload', onBeforeUnload);
  else removeEventListener('beforeunload', onBeforeUnload);
  tell();
}

const remove = (element: Element | null) => setAll(all.filter((other) => other.element !== element));

function set(unsent: Unsent): void {
  setAll([...all.filter(({ element }) => element !== unsent.element), unsent]);
}

/** What would be lost with `element`, in words; null when nothing would. */
export function lossIn(element: Element): string | null {
  const unsent = all.find((one) => element.contains(one.element));
  return unsent?.isSending ? 'It was already sent: closing this does not stop it.' : (unsent?.loses ?? null);
}

/** What would be lost with the page, or a part of it, in words, besides what is being sent; null when nothing would. */
export function lossOfPage(isInPart = (_: Element) => true): string | null {
  return all.find(({ element, isSending }) => !isSending && isInPart(element))?.loses ?? null;
}

/** What would be lost with the session: also what is sent behind any page, but no form that was sent; null for nothing. */
export function lossOfSession(): string | null {
  return lossOfPage() ?? all.find(({ element }) => !element.isConnected)?.loses ?? null;
}

/** Somebody has decided to lose what is on the page; what is being sent goes on. */
export function giveUpPage(): void {
  setAll(all.filter(({ isSending }) => isSending));
}

/** Somebody has decided to lose it all. */
export function giveUpUnsent(): void {
  setAll([]);
}

/** Whether there is anything on the page that would be lost with it. */
export function useIsUnsent(): boolean {
  return useSyncExternalStore(subscribe, () => all.length > 0);
}

/** Tracks the input of a form until it is sent; returns attributes of the form, or of what stands for one. */
export function useUnsent<Form extends Element = HTMLFormElement>(isBusy: boolean, error: Error | null) {
  const form = useRef<Form>(null);
  const wasBusy = useRef(false);
  const isSending = isBusy && error === null;
  useEffect(() => {
    const element = form.current;
    // what was typed meanwhile is not sent
    const isSent = (unsent: Unsent) => unsent.element === element && unsent.isSending;
    if (wasBusy.current && !isBusy && error === null) setAll(all.filter((unsent) => !isSent(unsent)));
    else setAll(all.map((unsent) => (unsent.element === element ? { ...unsent, isSending } : unsent)));
    wasBusy.current = isBusy;
  }, [isBusy, error, isSending]);
  useEffect(() => {
    const element = form.current;
    return () => remove(element);
  }, []);
  const onInput = () => {
    if (form.current !== null) set({ element: form.current, loses: 'What you typed is not saved.', isSending: false });
  };
  return { ref: form, onInput };
}

/** Guards what `element` shows, while `loses` says what would be lost with it. */
export function useShownOnce(element: React.RefObject<Element | null>, loses: string | undefined): void {
  useEffect(() => {
    const shown = element.current;
    if (shown === null || loses === undefined) return;
    set({ element: shown, loses, isSending: false });
    return () => remove(shown);
  }, [element, loses]);
}

/** Guards what is sent, whichever page is shown, until the returned function is called. */
export function guardFromReload(loses: string): () => void {
  // no part of any page
  const element = document.createElement('div');
  set({ element, loses, isSending: true });
  return () => remove(element);
}
