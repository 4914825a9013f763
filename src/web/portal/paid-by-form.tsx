/** @jsxImportSource preact */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DetailName } from '../../rails/contract/form.ts';
import { FILE_RAIL_FORMS } from '../../rails/forms.ts';
import { Once } from '../parts/once.ts';
import { type Answers, Failure } from './api.ts';
import { type OnboardingLink, reasonOf, requestLink } from './onboarding-link.ts';
import { CountryField, DetailField, Methods } from './paid-by-fields.tsx';
import { Refusal } from './pieces.tsx';
import { usePortal } from './portal.tsx';
import type { Rail } from './rail-words.ts';
import { fill, type Words } from './words/index.ts';

type Answer = Answers['payout-details'];
type FieldName = DetailName | 'country';
type Problems = Partial<Record<FieldName, keyof Words>>;

const FILE_RAILS = Object.keys(FILE_RAIL_FORMS) as (keyof typeof FILE_RAIL_FORMS)[];

/** `unknown`: no answer says whether it was saved. */
type FormState = 'ready' | 'saving' | 'failed' | 'unknown' | { refusal: string };

/** The message for a detail that the service refused. */
const WRONG: Readonly<Record<FieldName, keyof Words>> = {
  email: 'wrongEmail',
  name: 'wrongName',
  iban: 'wrongIban',
  bic: 'wrongBic',
  receiverType: 'fillIn',
  account: 'fillIn',
  country: 'fillIn',
};

interface PaidByFormProps {
  stored: Answer;
  onSaved(answer: Answer): void;
  /** Called with a link to the provider, where the partner signs up. */
  onLink(link: OnboardingLink): void;
  /** Called when no answer says what is stored now, also when the form was closed meanwhile. */
  onLost(): void;
  onClose(): void;
}

/** Asks for the details of one payment method. Stored details are masked, so they must be typed again. */
export function PaidByForm({ stored, onSaved, onLink, onLost, onClose }: PaidByFormProps) {
  const { api, fail, startAgain } = usePortal();
  const { payoutDetails, transferRails } = stored;
  // what sends the money comes first
  const rails: readonly Rail[] = [...transferRails, ...FILE_RAILS];
  const [rail, setRail] = useState(rails.find((name) => name === payoutDetails?.rail) ?? (rails[0] as Rail));
  const [values, setValues] = useState<Partial<Record<FieldName, string>>>({});
  const [problems, setProblems] = useState<Problems>({});
  const [state, setState] = useState<FormState>('ready');
  const isClosed = useIsClosed();
  // for each text, because a corrected one may be sent at once
  // biome-ignore lint/correctness/useExhaustiveDependencies: that is what is sent
  const once = useMemo(() => new Once(), [rail, values]);
  const form = useRef<HTMLFormElement>(null);
  const isOpenedThere = rail === 'stripe';
  const { needed, optional } = fieldsOf(rail);
  const names = [...needed, ...optional];
  const textOf = (name: FieldName) => (values[name] ?? (name === 'receiverType' ? 'PRIVATE' : '')).trim();
  useFocus(form, problems);
  const send = async (): Promise<Answer> => {
    const given = Object.fromEntries(names.map((name) => [name, textOf(name) || null]));
    if (!isOpenedThere) return api.put('payout-details', { rail, ...given });
    const link = await requestLink(api, { rail, ...given });
    if (!isClosed.current) onLink(link);
    return api.get('payout-details', 'payout-details');
  };
  const save = async () => {
    const missing = needed.filter((name) => textOf(name) === '');
    setState('ready');
    setProblems(Object.fromEntries(missing.map((name) => [name, 'fillIn'])));
    if (missing.length > 0) return;
    startAgain();
    setState('saving');
    try {
      const saved = await send();
      // a later form may have been saved before
      if (isClosed.current) onLost();
      else onSaved(saved);
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure;
      const wrong = names.filter((name) => failure.paths.includes(name));
      const refusal = isOpenedThere ? reasonOf(failure) : null;
      setProblems(Object.fromEntries(wrong.map((name) => [name, WRONG[name]])));
      setState(wrong.length > 0 ? 'ready' : refusal !== null ? { refusal } : failure.isRefusal ? 'failed' : 'unknown');
      if (!failure.isRefusal) onLost();
      if (wrong.length === 0 && refusal === null) fail(failure);
    }
  };
  const choose = (chosen: Rail) => {
    setRail(chosen);
    setProblems({});
    setState((before) => (before === 'saving' ? before : 'ready'));
  };
  const fieldOf = (name: FieldName) => ({
    value: values[name] ?? '',
    problem: problems[name],
    onText: (text: string) => setValues({ ...values, [name]: text }),
  });
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
      <Methods rails={rails} chosen={rail} onChoose={choose} />
      <div class="fields">
        {names.map((name) =>
          name === 'country' ? (
            <CountryField key={name} {...fieldOf(name)} />
          ) : (
            <DetailField key={name} name={name} isOptional={optional.includes(name)} {...fieldOf(name)} />
          ),
        )}
      </div>
      <End state={state} isOpenedThere={isOpenedThere} onClose={onClose} />
    </form>
  );
}

interface Fields {
  needed: readonly FieldName[];
  optional: readonly DetailName[];
}

/** An account at a provider is opened there; only its country is asked for here. Another one leads to another account. */
function fieldsOf(rail: Rail): Fields {
  return rail === 'stripe' ? { needed: ['country'], optional: [] } : FILE_RAIL_FORMS[rail];
}

/** Whether the form has been closed, for what is answered later. */
function useIsClosed(): { readonly current: boolean } {
  const isClosed = useRef(false);
  useEffect(
    () => () => {
      isClosed.current = true;
    },
    [],
  );
  return isClosed;
}

/** Puts the focus on the chosen method at first, and later on the first field with a problem. */
function useFocus(form: { current: HTMLFormElement | null }, problems: Problems): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => form.current?.querySelector<HTMLElement>('input:checked')?.focus(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal is a new object and moves the focus
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [problems]);
}

interface EndProps {
  state: FormState;
  isOpenedThere: boolean;
  onClose(): void;
}

/** What went wrong, what becomes of the details, and the buttons. */
function End({ state, isOpenedThere, onClose }: EndProps) {
  const { words, config } = usePortal();
  const failure = state === 'failed' ? words.notSaved : words.maybeSaved;
  return (
    <>
      {state === 'failed' || state === 'unknown' ? (
        <p class="problem" role="alert">
          {isOpenedThere ? words.tryLater : failure}
        </p>
      ) : null}
      {typeof state === 'object' ? <Refusal reason={state.refusal} /> : null}
      <p class="quiet caption">
        {isOpenedThere ? fill(words.stripeHint, { program: config.programName }) : words.paidBySealed}
      </p>
      <div class="actions">
        <button type="submit" class="button primary" aria-busy={state === 'saving'}>
          {isOpenedThere ? words.continueAtStripe : words.save}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {words.cancel}
        </button>
      </div>
    </>
  );
}
