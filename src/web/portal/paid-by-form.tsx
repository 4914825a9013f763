/** @jsxImportSource preact */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DetailName } from '../../rails/contract/form.ts';
import { RAIL_FORMS } from '../../rails/forms.ts';
import { Once } from '../parts/once.ts';
import { type Answers, Failure } from './api.ts';
import { usePortal } from './portal.tsx';
import { detailLabel, railName, receiverName } from './rail-words.ts';
import type { Words } from './words/index.ts';

type Answer = Answers['payout-details'];
type Rail = keyof typeof RAIL_FORMS;
type Problems = Partial<Record<DetailName, keyof Words>>;

const RAILS = Object.keys(RAIL_FORMS) as Rail[];

/** The message for a detail that the service refused. */
const WRONG: Readonly<Record<DetailName, keyof Words>> = {
  email: 'wrongEmail',
  name: 'wrongName',
  iban: 'wrongIban',
  bic: 'wrongBic',
  receiverType: 'fillIn',
};

const AUTO_COMPLETE: Partial<Record<DetailName, string>> = { email: 'email', name: 'name' };

interface PaidByFormProps {
  details: Answer['payoutDetails'];
  onSaved(answer: Answer): void;
  /** Called when no answer says what is stored now, also when the form was closed meanwhile. */
  onLost(): void;
  onClose(): void;
}

/** Asks for the details of one payment method. Stored details are masked, so they must be typed again. */
export function PaidByForm({ details, onSaved, onLost, onClose }: PaidByFormProps) {
  const { words, api, fail, startAgain } = usePortal();
  const [rail, setRail] = useState<Rail>(details?.rail ?? 'paypal');
  const [values, setValues] = useState<Partial<Record<DetailName, string>>>({});
  const [problems, setProblems] = useState<Problems>({});
  const [state, setState] = useState<'ready' | 'saving' | 'failed' | 'unknown'>('ready');
  const isClosed = useRef(false);
  // for each text, because a corrected one may be sent at once
  // biome-ignore lint/correctness/useExhaustiveDependencies: that is what is sent
  const once = useMemo(() => new Once(), [rail, values]);
  const form = useRef<HTMLFormElement>(null);
  const { needed, optional } = RAIL_FORMS[rail];
  const names = [...needed, ...optional];
  const textOf = (name: DetailName) => (values[name] ?? (name === 'receiverType' ? 'PRIVATE' : '')).trim();
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('input:checked')?.focus();
    return () => {
      isClosed.current = true;
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal is a new object and moves the focus
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);
  const save = async () => {
    const missing = needed.filter((name) => textOf(name) === '');
    setState('ready');
    setProblems(Object.fromEntries(missing.map((name) => [name, 'fillIn'])));
    if (missing.length > 0) return;
    startAgain();
    setState('saving');
    try {
      const given = Object.fromEntries(names.map((name) => [name, textOf(name) || null]));
      const saved = await api.put('payout-details', { rail, ...given });
      // a later form may have been saved before
      if (isClosed.current) onLost();
      else onSaved(saved);
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      const wrong = names.filter((name) => failure.paths.includes(name));
      setProblems(Object.fromEntries(wrong.map((name) => [name, WRONG[name]])));
      setState(wrong.length > 0 ? 'ready' : failure.isRefusal ? 'failed' : 'unknown');
      if (!failure.isRefusal) onLost();
      if (wrong.length === 0) fail(failure);
    }
  };
  const choose = (chosen: Rail) => {
    setRail(chosen);
    setProblems({});
  };
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (state !== 'saving') void once.run(save);
      }}
    >
      <Methods chosen={rail} onChoose={choose} />
      <div class="fields">
        {names.map((name) => (
          <Field
            key={name}
            name={name}
            value={values[name] ?? ''}
            isOptional={optional.includes(name)}
            problem={problems[name]}
            onText={(text) => setValues({ ...values, [name]: text })}
          />
        ))}
      </div>
      {state === 'failed' || state === 'unknown' ? (
        <p class="problem" role="alert">
          {state === 'failed' ? words.notSaved : words.maybeSaved}
        </p>
      ) : null}
      <p class="quiet caption">{words.paidBySealed}</p>
      <div class="actions">
        <button type="submit" class="button primary" aria-busy={state === 'saving'}>
          {words.save}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {words.cancel}
        </button>
      </div>
    </form>
  );
}

function Methods({ chosen, onChoose }: { chosen: Rail; onChoose(rail: Rail): void }) {
  const { words } = usePortal();
  return (
    <fieldset class="methods">
      <legend>{words.paidByMethod}</legend>
      {RAILS.map((rail) => (
        <label key={rail} class="button">
          <input type="radio" name="rail" checked={rail === chosen} onChange={() => onChoose(rail)} />
          {railName(rail, words)}
        </label>
      ))}
    </fieldset>
  );
}

interface FieldProps {
  name: DetailName;
  value: string;
  isOptional: boolean;
  problem: keyof Words | undefined;
  onText(text: string): void;
}

function Field({ name, value, isOptional, problem, onText }: FieldProps) {
  const { words } = usePortal();
  const id = `paid-by-${name}`;
  const attributes = {
    id,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
  };
  return (
    <div class="field">
      <label for={id}>
        {detailLabel(name, words)}
        {isOptional ? <span class="quiet"> ({words.optional})</span> : null}
      </label>
      {name === 'receiverType' ? (
        <select {...attributes} value={value || 'PRIVATE'} onChange={(event) => onText(event.currentTarget.value)}>
          {['PRIVATE', 'BUSINESS'].map((type) => (
            <option key={type} value={type}>
              {receiverName(type, words)}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...attributes}
          type="text"
          inputMode={name === 'email' ? 'email' : 'text'}
          required={!isOptional}
          autoComplete={AUTO_COMPLETE[name] ?? 'off'}
          spellcheck={false}
          value={value}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
      {problem === undefined ? null : (
        <p id={`${id}-problem`} class="problem">
          {words[problem]}
        </p>
      )}
    </div>
  );
}
