import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { isComposing } from '../shell/shortcuts.ts';
import { FieldFrame, type FrameProps, INPUT } from './field.tsx';

export interface Choice {
  id: string;
  words: string;
  /** Distinguishes it from others with the same words. */
  note?: string;
}

interface ComboboxProps extends FrameProps {
  /** The selected choice; null for none. */
  chosen: Choice | null;
  onChoose(choice: Choice): void;
  /** The choices that match the search text, in order; undefined while they load. */
  choices: readonly Choice[] | undefined;
  /** Receives the typed text. */
  onSearch(text: string): void;
  /** Shown when nothing matches. */
  nothing: string;
}

/** A field with a searchable list of choices: typing searches, arrows move, Enter selects, Escape cancels. */
export function Combobox(props: ComboboxProps) {
  const { label, hint, problem, chosen, onChoose, choices, onSearch, nothing } = props;
  const [text, setText] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const listId = useId();
  const isOpen = text !== null;
  const count = choices?.length ?? 0;
  const search = (wanted: string) => {
    setText(wanted);
    setAt(0);
    onSearch(wanted.trim());
  };
  const close = () => setText(null);
  const take = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    onChoose(choice);
    close();
  };
  const onKey = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      if (isOpen) setAt((at + step + count) % Math.max(count, 1));
      else search('');
    } else if (event.key === 'Enter' && isOpen) take(choices?.[at]);
    else if (event.key === 'Escape' && isOpen) close();
    else return;
    // Enter must not submit the form, nor Escape close the dialog around it
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="relative">
      <FieldFrame label={label} hint={hint} problem={problem}>
        {(attributes) => (
          <input
            {...attributes}
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={isOpen ? listId : undefined}
            aria-autocomplete="list"
            aria-activedescendant={isOpen && choices?.[at] ? `${listId}-${at}` : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder="Type a name…"
            className={INPUT}
            value={text ?? chosen?.words ?? ''}
            onChange={(event) => search(event.target.value)}
            onClick={() => !isOpen && search('')}
            onBlur={close}
            onKeyDown={onKey}
          />
        )}
      </FieldFrame>
      {isOpen && <Choices id={listId} label={label} choices={choices ?? []} at={at} onPoint={setAt} onTake={take} />}
      <p role="status" className={isOpen && count === 0 ? 'mt-1.5 text-xs text-muted-foreground' : 'sr-only'}>
        {isOpen && (choices === undefined ? 'Searching…' : count === 0 ? nothing : `${count} to choose from`)}
      </p>
    </div>
  );
}

interface ChoicesProps {
  id: string;
  label: string;
  choices: readonly Choice[];
  at: number;
  onPoint(index: number): void;
  onTake(choice: Choice): void;
}

function Choices({ id, label, choices, at, onPoint, onTake }: ChoicesProps) {
  const list = useRef<HTMLDivElement>(null);
  const { length: count } = choices;
  // at the foot of a scrolling panel, it would open below the visible part
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever it has another height
  useEffect(() => {
    list.current?.scrollIntoView({ block: 'nearest' });
  }, [count]);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <div
      ref={list}
      role="listbox"
      id={id}
      aria-label={label}
      // the field keeps the focus
      onMouseDown={(event) => event.preventDefault()}
      className="absolute inset-x-0 top-[4.25rem] z-20 max-h-56 overflow-y-auto rounded-md border bg-popover p-1 text-popover-foreground shadow-lg empty:hidden"
    >
      {choices.map((choice, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys
        // biome-ignore lint/a11y/useFocusableInteractive: as above
        <div
          key={choice.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          onMouseMove={() => onPoint(index)}
          onClick={() => onTake(choice)}
          className="flex cursor-pointer items-baseline gap-2 rounded px-2 py-1.5 text-sm aria-selected:bg-accent aria-selected:text-accent-foreground"
        >
          <bdi className="truncate">{choice.words}</bdi>
          <span className="ml-auto truncate text-xs text-muted-foreground">{choice.note}</span>
        </div>
      ))}
    </div>
  );
}
