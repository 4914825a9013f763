import { useState } from 'react';
import { useChange } from '../../data/use-api.ts';
import { useMayChange } from '../../shell/session.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Field } from '../../ui/field.tsx';
import { useUnsent } from '../../ui/unsent.ts';

/** A sale whose buyer looks like the partner waits for a person's decision. */
export function SaleActions({ id }: { id: string }) {
  const [reason, setReason] = useState('');
  const approve = useChange('approveSale', { done: 'Approved: its commission is paid like any other' });
  const reject = useChange('rejectSale', { done: 'Rejected: its commission is reversed' });
  const mayChange = useMayChange();
  const busy = approve.isPending || reject.isPending;
  const input = { parameters: { id }, body: { reason: reason || null } };
  const unsent = useUnsent<HTMLDivElement>(busy, approve.error ?? reject.error);
  return (
    <div {...unsent} className="flex flex-col gap-3 rounded-md bg-warning-surface p-3 text-sm">
      <p className="font-medium text-warning">The buyer looks like the partner. Does this sale count?</p>
      {mayChange && (
        <>
          <Field label="Reason" hint="Kept with the sale. The decision is final." value={reason} onText={setReason} />
          <div className="flex flex-wrap gap-2">
            <ConfirmButton
              words="Approve"
              question="Pay its commission?"
              look="primary"
              busy={busy}
              onConfirm={() => approve.mutate(input)}
            />
            <ConfirmButton
              words="Reject"
              question="Reverse its commission?"
              look="danger"
              busy={busy}
              onConfirm={() => reject.mutate(input)}
            />
          </div>
        </>
      )}
    </div>
  );
}
