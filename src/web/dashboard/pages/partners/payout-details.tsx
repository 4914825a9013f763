import { useState } from 'react';
import type { DetailName } from '../../../../rails/contract/form.ts';
import { RAIL_FORMS } from '../../../../rails/forms.ts';
import type { Answer, CallInput } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { useChange } from '../../data/use-api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, type Option, Select } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { Facts, Part } from '../../ui/split.tsx';

type Partner = Answer<'getPartner'>;
type Rail = keyof typeof RAIL_FORMS;

const LABELS: Readonly<Record<DetailName, string>> = {
  email: 'E-mail address',
  name: 'Account holder',
  iban: 'IBAN',
  bic: 'BIC',
  receiverType: 'Holder is',
};

const RECEIVERS: readonly Option[] = [
  ['PRIVATE', 'A person'],
  ['BUSINESS', 'A business'],
];

const RAILS = Object.entries(RAIL_FORMS).map(([rail, { title }]): Option => [rail, title]);

/** How the partner is paid, masked, and a way to change it. */
export function PayoutDetails({ partner, mayChange }: { partner: Partner; mayChange: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { payoutDetails } = partner;
  return (
    <Part
      title="Payment details"
      actions={
        mayChange && (
          <Button size="small" onClick={() => setOpen(true)}>
            {payoutDetails === null ? 'Set' : 'Change'}
          </Button>
        )
      }
    >
      {payoutDetails === null ? (
        <p className="text-sm text-muted-foreground">Not set: a file for a bank or provider leaves this partner out.</p>
      ) : (
        <Facts
          items={[
            ['Paid by', RAIL_FORMS[payoutDetails.rail].title],
            ...Object.entries(payoutDetails)
              .filter(([name]) => name !== 'rail')
              .map(([name, value]) => [LABELS[name as DetailName], shownValue(value)] as const),
          ]}
        />
      )}
      {isOpen && <PayoutDetailsDialog partner={partner} onClose={() => setOpen(false)} />}
    </Part>
  );
}

function shownValue(value: string | null): string | null {
  return RECEIVERS.find(([receiver]) => receiver === value)?.[1] ?? value;
}

function PayoutDetailsDialog({ partner, onClose }: { partner: Partner; onClose(): void }) {
  const [rail, setRail] = useState<Rail>(partner.payoutDetails?.rail ?? 'paypal');
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
    <Dialog title={`How ${partner.name} is paid`} onClose={onClose} className="max-w-lg">
      <Form action="Save" busy={change.isPending} error={change.error} onSend={send}>
        <Select label="Paid by" value={rail} onText={(text) => setRail(text as Rail)} options={RAILS} />
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
              hint={optional.includes(name) ? 'Optional.' : undefined}
              problem={problemOf(change.error, name)}
            />
          ),
        )}
        <p className="text-xs text-muted-foreground">Stored encrypted, and shown masked from now on.</p>
      </Form>
    </Dialog>
  );
}
