import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useState } from 'react';
import { ApiError } from '../../parts/api.ts';
import { Button } from '../../parts/button.tsx';
import { useKeptFocus } from '../../parts/use-kept-focus.ts';
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
  const problems = problemsOf(error);
  const form = unsent.ref;
  const [atFields, setAtFields] = useState<readonly boolean[]>([]);
  const isAtFields = problems.length > 0 && problems.every((_, index) => atFields[index]);
  // which fields there are changes with what is chosen in them
  useLayoutEffect(() => {
    const now = problems.map(([, problem]) => areShownIn(form.current, problem, membersWith(problems, problem)));
    setAtFields((before) => (String(before) === String(now) ? before : now));
  });
  useEffect(() => {
    if (error === null || !isAtFields) return;
    // out of sight, it would look as if nothing had happened
    form.current?.querySelector('[aria-invalid]')?.scrollIntoView({ block: 'nearest' });
  }, [error, isAtFields, form]);
  return (
    <form {...unsent} onKeyDown={ignoreHeldEnter} onSubmit={send} className="flex flex-col gap-4">
      {children}
      {error && (
        <div
          role="alert"
          // the fields say the same
          className={
            isAtFields ? 'sr-only' : 'rounded-md bg-danger-surface px-3 py-2 text-sm wrap-anywhere text-destructive'
          }
        >
          {problems.length < 2 ? (
            <p>{error.message}</p>
          ) : (
            <ul className="list-disc pl-4">
              {problems.map(([path, problem], index) => (
                <li key={path} className={atFields[index] ? 'sr-only' : ''}>
                  {path}: {problem}
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

/** Whether so many fields of the form show this problem, which `problemOf` may have introduced. */
function areShownIn(form: HTMLFormElement | null, problem: string, count: number): boolean {
  const fields = [...(form?.querySelectorAll('[aria-invalid]') ?? [])];
  const showing = fields.filter((field) => {
    const note = document.getElementById(field.getAttribute('aria-describedby') ?? '');
    return note?.textContent.toLowerCase().endsWith(problem.toLowerCase());
  });
  return showing.length >= count;
}

/** How many members have this problem; a list with several such items is one. */
function membersWith(problems: readonly Problem[], problem: string): number {
  const paths = problems.filter(([, other]) => other === problem).map(([path]) => path.replace(/\.\d+$/, ''));
  return new Set(paths).size;
}

/** A key that is still held down since it opened the form's dialog must not send it. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  const isLineBreak = event.target instanceof HTMLTextAreaElement;
  if (event.repeat && event.key === 'Enter' && !isLineBreak) event.preventDefault();
}

type Problem = readonly [path: string, problem: string];

/** What the service said about each member of the body; a conflict names the member whose value is taken. */
function problemsOf(error: Error | null): Problem[] {
  if (!(error instanceof ApiError)) return [];
  const [, path, problem] = (error.code === 'CONFLICT' && /^([A-Za-z]+): (.+)$/s.exec(error.message)) || [];
  return path === undefined || problem === undefined ? [...error.details] : [[path, problem]];
}

/**
 * What the service said about one member of the body, or about something in it: in a list, with its number there,
 * otherwise with its name.
 */
export function problemOf(error: Error | null, path: string): string | undefined {
  const isHere = ([name]: Problem) => name === path || name.startsWith(`${path}.`);
  const [at, problem] = problemsOf(error).find(isHere) ?? [];
  if (at === undefined || problem === undefined) return undefined;
  const within = at.slice(path.length + 1);
  if (within === '') return asSentence(problem);
  return /^\d+/.test(within) ? `No. ${Number.parseInt(within, 10) + 1}: ${problem}` : `${within}: ${problem}`;
}
