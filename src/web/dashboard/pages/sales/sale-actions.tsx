import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { useChange } from '../../data/use-api.ts';
import { useMayChange } from '../../shell/session.tsx';
import { Field } from '../../ui/field.tsx';

/** A sale whose buyer looks like the partner waits for a person's decision. */
export function SaleActions({ id }: { id: string }) {
  const [reason, setReason] = useState('');
  const approve = useChange('approveSale', { done: 'The sale counts' });
  const reject = useChange('rejectSale', { done: 'The sale earns nothing' });
  const mayChange = useMayChange();
  const input = { parameters: { id }, body: { reason: reason || null } };
  return (
    <div className="flex flex-col gap-3 rounded-md bg-warning-surface p-3 text-sm">
      <p className="font-medium text-warning">The buyer looks like the partner. Does this sale count?</p>
      {mayChange && (
        <>
          <Field label="Reason" hint="Kept with the sale." value={reason} onText={setReason} />
          <div className="flex gap-2">
            <Button size="small" look="primary" busy={approve.isPending} onClick={() => approve.mutate(input)}>
              It counts
            </Button>
            <Button size="small" look="danger" busy={reject.isPending} onClick={() => reject.mutate(input)}>
              It earns nothing
            </Button>
          </div>
        </>
      )}
    </div>
  );
}
