import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { useChange } from '../../data/use-api.ts';
import { CommissionFields } from '../../ui/commission-fields.tsx';
import { type CommissionText, parseCommission } from '../../ui/commission-text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';

interface ProgramDialogProps {
  onClose(): void;
  onDone(program: Answer<'createProgram'>): void;
}

/** Creates a program; its page has the other terms. */
export function ProgramDialog({ onClose, onDone }: ProgramDialogProps) {
  const [name, setName] = useState('');
  const [terms, setTerms] = useState<CommissionText>({ type: 'percentage', percent: '20', amounts: '' });
  const create = useChange('createProgram', {
    done: `${name} is ready. Check its other terms before you enroll partners.`,
    onDone(program) {
      onClose();
      onDone(program);
    },
    quiet: true,
  });
  const commission = parseCommission(terms);
  return (
    <Dialog title="New program" onClose={onClose} className="max-w-lg">
      <Form
        action="Create the program"
        busy={create.isPending}
        error={create.error}
        disabled={!commission}
        onSend={() => commission && create.mutate({ body: { name, commission } })}
      >
        <p className="text-sm text-muted-foreground">
          For partners who earn on other terms, or whose portal looks different.
        </p>
        <Field
          label="Name"
          required
          value={name}
          onText={setName}
          hint="Partners see it."
          problem={problemOf(create.error, 'name')}
        />
        <CommissionFields value={terms} onChange={setTerms} />
      </Form>
    </Dialog>
  );
}
