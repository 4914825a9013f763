import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { useChange } from '../../data/use-api.ts';
import { Field, Select } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { PartnerChooser } from '../../ui/partner-chooser.tsx';

type By = 'partnerId' | 'customerExternalId' | 'clickId';

const CHOICES: readonly (readonly [By, string])[] = [
  ['partnerId', 'Partner'],
  ['customerExternalId', 'Customer, by your own id'],
  ['clickId', 'Click'],
];

interface AttributeFormProps {
  id: string;
  onDone(sale: Answer<'attributeParkedPayment'>): void;
}

/** Sets who earned a payment. */
export function AttributeForm({ id, onDone }: AttributeFormProps) {
  const [by, setBy] = useState<By>('partnerId');
  const [value, setValue] = useState('');
  const attribute = useChange('attributeParkedPayment', { done: 'It is now a sale', onDone, quiet: true });
  return (
    <Form
      action="Attribute"
      busy={attribute.isPending}
      error={attribute.error}
      disabled={value === ''}
      onSend={() => attribute.mutate({ parameters: { id }, body: { [by]: value } })}
    >
      <Select
        label="By"
        value={by}
        options={CHOICES}
        onText={(text) => {
          setBy(text as By);
          setValue('');
        }}
      />
      {by === 'partnerId' ? (
        <PartnerChooser value={value} onChoose={setValue} problem={problemOf(attribute.error, by)} />
      ) : (
        <Field
          label={by === 'clickId' ? 'Click id' : 'Your own id for the customer'}
          placeholder={by === 'clickId' ? 'clk_…' : 'user_1'}
          required
          value={value}
          onText={setValue}
          problem={problemOf(attribute.error, by)}
        />
      )}
    </Form>
  );
}
