import { type InputHTMLAttributes, type ReactNode, useId } from 'react';

const BOX =
  'w-full rounded-md border border-input bg-background text-sm text-foreground aria-invalid:border-destructive disabled:opacity-60';

/** The look of a single-line field. */
export const INPUT = `${BOX} h-9 px-2.5`;

export interface FrameProps {
  label: string;
  /** Under the field. */
  hint?: ReactNode;
  /** What is wrong with the value; replaces the hint. */
  problem?: string | undefined;
}

interface FieldFrameProps extends FrameProps {
  children(attributes: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': true | undefined;
  }): ReactNode;
}

/** A label, a control, and a hint or a problem. */
export function FieldFrame({ label, hint, problem, children }: FieldFrameProps) {
  const id = useId();
  const note = problem ?? hint;
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note === undefined ? undefined : `${id}-note`,
        'aria-invalid': problem === undefined ? undefined : true,
      })}
      {note !== undefined && (
        <p
          id={`${id}-note`}
          className={`text-xs wrap-anywhere ${problem === undefined ? 'text-muted-foreground' : 'text-destructive'}`}
        >
          {note}
        </p>
      )}
    </div>
  );
}

interface TextProps {
  value: string;
  onText(text: string): void;
}

type FieldProps = FrameProps & TextProps & Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'>;

export function Field({ label, hint, problem, onText, ...input }: FieldProps) {
  return (
    <FieldFrame label={label} hint={hint} problem={problem}>
      {(attributes) => (
        <input {...attributes} {...input} className={INPUT} onChange={(event) => onText(event.target.value)} />
      )}
    </FieldFrame>
  );
}

export function TextArea({
  label,
  hint,
  problem,
  onText,
  value,
  rows = 3,
  mono = false,
}: FrameProps & TextProps & { rows?: number; mono?: boolean }) {
  return (
    <FieldFrame label={label} hint={hint} problem={problem}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={rows}
          value={value}
          spellCheck={!mono}
          className={`${BOX} px-2.5 py-2 ${mono ? 'font-mono text-xs' : ''}`}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </FieldFrame>
  );
}

/** `[value, words]`. */
export type Option = readonly [value: string, words: string];

interface SelectProps extends FrameProps, TextProps {
  options: readonly Option[];
  disabled?: boolean;
}

export function Select({ label, hint, problem, value, onText, options, disabled }: SelectProps) {
  return (
    <FieldFrame label={label} hint={hint} problem={problem}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          disabled={disabled}
          className={`${BOX} h-9 pr-7 pl-2.5`}
          onChange={(event) => onText(event.target.value)}
        >
          {options.map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}

interface FileInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'className' | 'onChange'> {
  onFile(file: File | null): void;
}

/** Chooses one file. */
export function FileInput({ onFile, ...input }: FileInputProps) {
  return (
    <input
      {...input}
      type="file"
      className="block w-full min-w-0 text-sm text-muted-foreground file:mr-3 file:h-9 file:cursor-pointer file:rounded-md file:border file:border-solid file:border-input file:bg-card file:px-3.5 file:font-medium file:text-foreground hover:file:bg-secondary"
      // otherwise, choosing the same file again, after it was corrected, is no change
      onClick={({ currentTarget }) => {
        currentTarget.value = '';
      }}
      onChange={(event) => onFile(event.target.files?.[0] ?? null)}
    />
  );
}

interface CheckProps {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  onCheck(checked: boolean): void;
  disabled?: boolean;
}

export function Check({ label, hint, checked, onCheck, disabled }: CheckProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <input
        id={id}
        type="checkbox"
        className="mt-0.5 size-4 shrink-0 accent-primary"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-note`}
        onChange={(event) => onCheck(event.target.checked)}
      />
      <div className="min-w-0 text-sm wrap-anywhere">
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-note`} className="text-xs text-muted-foreground">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
