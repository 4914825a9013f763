import { type ReactNode, useState } from 'react';
import type { DetailName } from '../../../../rails/contract/form.ts';
import { RAIL_FORMS } from '../../../../rails/forms.ts';
import type { Answer, CallInput } from '../../../parts/api.ts';
import { useChange } from '../../data/use-api.ts';
import { Field, Select } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { LABELS, RECEIVERS } from './detail-words.ts';

export type Rail = keyof typeof RAIL_FORMS;

interface DetailsFormProps {
  partner: Answer<'getPartner'>;
  rail: Rail;
  /** The rail is chosen with it. */
  choice: ReactNode;
  onClose(): void;
}

/** The details that a rail needs. */
export function DetailsForm({ partner, rail, choice, onClose }: DetailsFormProps) {
  const [values, setValues] = useState<Partial<Record<DetailName, string>>>({});
  const change = useChange('setPayoutDetails', { done: 'Saved', onDone: onClose, quiet: true });
  const { needed, optional } = RAIL_FORMS[rail];
  const set = (name: DetailName) => (text: string) => setValues({ ...values, [name]: text });
  const textOf = (name: DetailName) => values[name] ?? (name === 'receiverType' ? 'PRIVATE' : '');
  const send = () => {
    const details = [...needed, ...optional].map((name) => [name, textOf(name) || null] as const);
    const body = { rail, ...Object.fromEntries(details) } as CallInput<'setPayoutDetails'>['body'];
    change.mutate({ parameters: { id: partner.id }, body });
  };
  return (
    <Form action="Save" busy={change.isPending} error={change.error} onSend={send}>
      {choice}
      {[...needed, ...optional].map((name) =>
        name === 'receiverType' ? (
          <Select key={name} label={LABELS[name]} value={textOf(name)} onText={set(name)} options={RECEIVERS} />
        ) : (
          <Field
            key={name}
            label={LABELS[name]}
            type={name === 'email' ? 'email' : 'text'}
            autoComplete="off"
            required={needed.includes(name)}
            value={textOf(name)}
            onText={set(name)}
            hint={hintOf(name, optional.includes(name))}
            problem={problemOf(change.error, name)}
          />
        ),
      )}
      <p className="text-xs text-muted-foreground">Stored encrypted, and shown masked from now on.</p>
    </Form>
  );
}

function hintOf(name: DetailName, isOptional: boolean): string | undefined {
  if (name === 'account') return 'The id of an account that is connected to yours at Stripe, acct_…';
  return isOptional ? 'Optional.' : undefined;
}
