import { useState } from 'react';
import { useChange, useRead } from '../../../data/use-api.ts';
import { counted } from '../../../ui/counted.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { Facts } from '../../../ui/split.tsx';
import { Id } from '../../../ui/values.tsx';

export interface Person {
  kind: 'customer' | 'partner';
  /** For a customer, the caller's own id; ours for a guest. */
  id: string;
  name: string | null;
  email: string | null;
}

interface ErasureDialogProps {
  person: Person;
  onClose(): void;
  onErased(): void;
}

/** Says what will be erased and what stays; to confirm, the reader types who it is. */
export function ErasureDialog({ person, onClose, onErased }: ErasureDialogProps) {
  const [typed, setTyped] = useState('');
  const options = {
    done: 'Erased. Stored webhooks that mention them follow within minutes.',
    onDone: onErased,
    quiet: true,
  };
  const eraseCustomer = useChange('eraseCustomer', options);
  const erasePartner = useChange('erasePartner', { ...options, done: 'Erased' });
  const erase = person.kind === 'customer' ? eraseCustomer : erasePartner;
  const word = person.email ?? person.id;
  const send = () => {
    if (person.kind === 'customer') eraseCustomer.mutate({ parameters: { externalId: person.id } });
    else erasePartner.mutate({ parameters: { id: person.id } });
  };
  return (
    <Dialog title={`Erase this ${person.kind}`} onClose={onClose}>
      <div className="flex flex-col gap-4 text-sm">
        <Facts
          items={[
            ['Name', person.name],
            ['E-mail', person.email],
            ['Id', <Id key="id">{person.id}</Id>],
          ]}
        />
        {person.kind === 'customer' ? <OfCustomer id={person.id} /> : <OfPartner />}
        <Form
          look="danger"
          action="Erase for good"
          busy={erase.isPending}
          error={erase.error}
          disabled={typed.trim() !== word}
          onSend={send}
        >
          <Field
            label={`Type ${word} to confirm`}
            value={typed}
            onText={setTyped}
            autoComplete="off"
            spellCheck={false}
            hint="This cannot be undone, except with an earlier backup."
          />
        </Form>
      </div>
    </Dialog>
  );
}

function OfCustomer({ id }: { id: string }) {
  const { data } = useRead('getCustomerPersonalData', { parameters: { externalId: id } });
  const count = (rows: readonly unknown[] | undefined, one: string, many: string) =>
    rows === undefined ? `… ${many}` : counted(rows.length, one, many);
  return (
    <Lists
      erased={[
        'E-mail address, name and avatar',
        `Metadata of ${count(data?.leads, 'lead', 'leads')} and ${count(data?.sales, 'sale', 'sales')}`,
        `Origin and device of ${count(data?.clicks, 'click', 'clicks')}`,
        `${count(data?.deliveries, 'stored webhook', 'stored webhooks')} about their payments, and others that mention them`,
      ]}
      kept="Ids, amounts and commissions. Later payments are attributed as before, without what they say about the person."
    />
  );
}

function OfPartner() {
  return (
    <Lists
      erased={['Name, e-mail address and payment details', 'The same in the audit log, and in files for banks']}
      kept="Links, discount codes, what was earned and paid. It is refused unless the balance is zero and nothing is on its way."
    />
  );
}

function Lists({ erased, kept }: { erased: readonly string[]; kept: string }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="font-medium">Will be erased</p>
      <ul className="list-disc pl-5 text-muted-foreground">
        {erased.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <p className="font-medium">Stays</p>
      <p className="text-muted-foreground">{kept}</p>
    </div>
  );
}
