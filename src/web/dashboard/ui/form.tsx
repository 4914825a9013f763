import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useState } from 'react';
import { ApiError } from '../../parts/api.ts';
import { Button } from '../../parts/button.tsx';
import { useKeptFocus } from '../../parts/use-kept-focus.ts';
import { forOperators } from './for-operators.ts';
import { asSentence } from './sentence.ts';
import { useUnsent } from './unsent.ts';

interface FormProps {
  onSend(): void;
  /** The text of the button. */
  action: string;
  busy: boolean;
  /** The refusal; the typed values stay. */
  error: Error | null;
  look?: 'primary' | 'danger';
  disabled?: boolean;
  children?: ReactNode;
}

/** A form that shows above its button what the service refused and what to do about it. */
export function Form({ onSend, action, busy, error, look = 'primary', disabled = false, children }: FormProps) {
  const unsent = useUnsent(busy, error);
  useKeptFocus(unsent.ref);
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSend();
  };
  const details = error instanceof ApiError ? [...error.details] : [];
  const [only, ...others] = details;
  const form = unsent.ref;
  const [isAtField, setIsAtField] = useState(false);
  // which fields there are changes with what is chosen in them
  useLayoutEffect(() => setIsAtField(only !== undefined && others.length === 0 && isShownIn(form.current, only[1])));
  useEffect(() => {
    if (error === null || !isAtField) return;
    // out of sight, it would look as if nothing had happened
    form.current?.querySelector('[aria-invalid]')?.scrollIntoView({ block: 'nearest' });
  }, [error, isAtField, form]);
  return (
    <form {...unsent} onKeyDown={ignoreHeldEnter} onSubmit={send} className="flex flex-col gap-4">
      {children}
      {error && (
        <div
          role="alert"
          // the field says the same
          className={
            isAtField ? 'sr-only' : 'rounded-md bg-danger-surface px-3 py-2 text-sm wrap-anywhere text-destructive'
          }
        >
          <p>{forOperators(error.message)}</p>
          {details.length > 1 && (
            <ul className="mt-1 list-disc pl-4">
              {details.map(([path, message]) => (
                <li key={path}>
                  {path}: {message}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      <Button type="submit" look={look} busy={busy} disabled={disabled} className="self-start">
        {action}
      </Button>
    </form>
  );
}

/** Whether a field of the form shows this problem, which `problemOf` may have introduced. */
function isShownIn(form: HTMLFormElement | null, problem: string): boolean {
  const fields = [...(form?.querySelectorAll('[aria-invalid]') ?? [])];
  return fields.some((field) => {
    const note = document.getElementById(field.getAttribute('aria-describedby') ?? '');
    return note?.textContent.toLowerCase().endsWith(problem.toLowerCase());
  });
}

/** A key that is still held down since it opened the form's dialog must not send it. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  const isLineBreak = event.target instanceof HTMLTextAreaElement;
  if (event.repeat && event.key === 'Enter' && !isLineBreak) event.preventDefault();
}

/** What the service said about one member of the body, or about something in it: in a list, with its number there. */
export function problemOf(error: Error | null, path: string): string | undefined {
  const details = error instanceof ApiError ? [...error.details] : [];
  const [at, problem] = details.find(([name]) => name === path || name.startsWith(`${path}.`)) ?? [];
  if (at === undefined || problem === undefined) return undefined;
  const index = /^\d+/.exec(at.slice(path.length + 1))?.[0];
  return index === undefined ? asSentence(problem) : `No. ${Number(index) + 1}: ${problem}`;
}
