/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { DetailName } from '../../rails/contract/form.ts';
import { countriesIn } from './countries.ts';
import { usePortal } from './portal.tsx';
import { detailLabel, type Rail, railName, receiverName } from './rail-words.ts';
import type { Words } from './words/index.ts';

const AUTO_COMPLETE: Partial<Record<DetailName, string>> = { email: 'email', name: 'name' };

interface MethodsProps {
  rails: readonly Rail[];
  chosen: Rail;
  onChoose(rail: Rail): void;
}

export function Methods({ rails, chosen, onChoose }: MethodsProps) {
  const { words } = usePortal();
  return (
    <fieldset class="methods">
      <legend>{words.paidByMethod}</legend>
      {rails.map((rail) => (
        <label key={rail} class="button">
          <input type="radio" name="rail" checked={rail === chosen} onChange={() => onChoose(rail)} />
          {railName(rail, words)}
        </label>
      ))}
    </fieldset>
  );
}

interface FieldProps {
  value: string;
  problem: keyof Words | undefined;
  onText(text: string): void;
}

/** One detail of a payment method. */
export function DetailField({ name, isOptional, value, problem, onText }: DetailFieldProps) {
  const { words } = usePortal();
  const id = `paid-by-${name}`;
  const label = (
    <>
      {detailLabel(name, words)}
      {isOptional ? <span class="quiet"> ({words.optional})</span> : null}
    </>
  );
  return (
    <Labeled id={id} label={label} problem={problem}>
      {name === 'receiverType' ? (
        <select
          {...describedBy(id, problem)}
          value={value || 'PRIVATE'}
          onChange={(event) => onText(event.currentTarget.value)}
        >
          {['PRIVATE', 'BUSINESS'].map((type) => (
            <option key={type} value={type}>
              {receiverName(type, words)}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...describedBy(id, problem)}
          type="text"
          inputMode={name === 'email' ? 'email' : 'text'}
          required={!isOptional}
          autoComplete={AUTO_COMPLETE[name] ?? 'off'}
          spellcheck={false}
          value={value}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </Labeled>
  );
}

interface DetailFieldProps extends FieldProps {
  name: DetailName;
  isOptional: boolean;
}

/** Where the partner is. None is chosen at first, because in a wrong one Stripe could not pay the partner. */
export function CountryField({ value, problem, onText }: FieldProps) {
  const { words, format } = usePortal();
  const countries = useMemo(() => countriesIn(format.language), [format]);
  const id = 'paid-by-country';
  return (
    <Labeled id={id} label={words.country} hint={words.countryHint} problem={problem}>
      <select
        {...describedBy(id, problem, true)}
        required
        autoComplete="country"
        value={value}
        onChange={(event) => onText(event.currentTarget.value)}
      >
        <option value="">{words.choose}</option>
        {countries.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </Labeled>
  );
}

interface LabeledProps {
  id: string;
  label: ComponentChildren;
  hint?: string;
  problem: keyof Words | undefined;
  children: ComponentChildren;
}

function Labeled({ id, label, hint, problem, children }: LabeledProps) {
  const { words } = usePortal();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {problem === undefined ? null : (
        <p id={`${id}-problem`} class="problem">
          {words[problem]}
        </p>
      )}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

function describedBy(id: string, problem: keyof Words | undefined, hasHint = false) {
  const ids = [...(problem === undefined ? [] : [`${id}-problem`]), ...(hasHint ? [`${id}-hint`] : [])];
  return {
    id,
    'aria-invalid': problem !== undefined,
    'aria-describedby': ids.length === 0 ? undefined : ids.join(' '),
  };
}
