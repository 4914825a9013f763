import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { useChange } from '../../data/use-api.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Field } from '../../ui/field.tsx';
import { useUnsent } from '../../ui/unsent.ts';

interface EndFormProps {
  payout: Answer<'getPayout'>;
  /** Another action is the usual one. */
  isSecondary?: boolean;
  /** Above the note. */
  children?: ReactNode;
}

/** Sets the outcome of the payment, which is final. */
export function EndForm({ payout: { id, fileId, status, transfer }, isSecondary = false, children }: EndFormProps) {
  const [note, setNote] = useState('');
  const paid = useChange('markPayoutPaid', { done: 'Marked as paid' });
  const failed = useChange('markPayoutFailed', { done: 'Marked as failed: its entries wait for the next run' });
  const canceled = useChange('cancelPayout', { done: 'Canceled: its entries wait for the next run' });
  const input = { parameters: { id }, body: { note: note || null } };
  const busy = paid.isPending || failed.isPending || canceled.isPending;
  const unsent = useUnsent<HTMLDivElement>(busy, paid.error ?? failed.error ?? canceled.error);
  const isHeld = status === 'held';
  return (
    <div {...unsent} className="flex flex-col gap-3 rounded-md border p-3">
      {children}
      {fileId !== null && (
        <p className="text-sm">
          It is in a{' '}
          <Link href={`/payout-files/${fileId}`} className="text-primary underline">
            payout file
          </Link>{' '}
          that is in use. It failed only if the bank or provider refused it. If the file was never sent, cancel the
          file.
        </p>
      )}
      <Field
        label="Note"
        value={note}
        onText={setNote}
        hint={
          isHeld
            ? 'What you found. Without one, the reason why it is held stays.'
            : "The bank's reference, or the reason."
        }
      />
      <div className="flex flex-wrap gap-2">
        <ConfirmButton
          words="Mark as paid"
          question={isHeld && transfer ? 'Is it at Stripe?' : 'Did the money arrive?'}
          look={isSecondary ? 'secondary' : 'primary'}
          busy={busy}
          onConfirm={() => paid.mutate(input)}
        />
        <ConfirmButton
          words="Mark as failed"
          question={isHeld ? 'Was it definitely not paid?' : 'Did the bank refuse it?'}
          look="secondary"
          busy={busy}
          onConfirm={() => failed.mutate(input)}
        />
        {fileId === null && !isHeld && (
          <ConfirmButton
            words="Cancel it"
            question="Was it never sent?"
            look="secondary"
            busy={busy}
            onConfirm={() => canceled.mutate(input)}
          />
        )}
      </div>
    </div>
  );
}
