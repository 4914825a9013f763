import { useEffect, useRef, useSyncExternalStore } from 'react';

/** The forms with input that was not sent yet. */
let forms: readonly Element[] = [];
const listeners = new Set<() => void>();

function setForms(next: readonly Element[]): void {
  forms = next;
  for (const listener of listeners) listener();
}

const remove = (form: Element | null) => setForms(forms.filter((other) => other !== form));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether a form inside `element` has input that was not sent yet. */
export function isUnsent(element: Element): boolean {
  return forms.some((form) => element.contains(form));
}

/** Whether any form has input that was not sent yet. */
export function useIsUnsent(): boolean {
  return useSyncExternalStore(subscribe, () => forms.length > 0);
}

/** Tracks the input of a form until it is sent; returns attributes of the form. */
export function useUnsent(isBusy: boolean, error: Error | null) {
  const form = useRef<HTMLFormElement>(null);
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !isBusy && error === null) remove(form.current);
    wasBusy.current = isBusy;
  }, [isBusy, error]);
  useEffect(() => {
    const element = form.current;
    return () => remove(element);
  }, []);
  const onInput = () => {
    if (form.current !== null && !forms.includes(form.current)) setForms([...forms, form.current]);
  };
  return { ref: form, onInput };
}
