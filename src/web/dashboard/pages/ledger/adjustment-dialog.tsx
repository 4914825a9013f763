import { useState } from 'react';
import { amountProblem, isCurrency, parseAmount } from '../../../parts/money.ts';
import { useChange } from '../../data/use-api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { PartnerChooser } from '../../ui/partner-chooser.tsx';

/** Adds to what a partner is owed, or subtracts from it. */
export function AdjustmentDialog({ partnerId, onClose }: { partnerId?: string | undefined; onClose(): void }) {
  const [partner, setPartner] = useState(partnerId ?? '');
  const [amount, setAmount] = useState('');
  const [currency, setCurrency] = useState('USD');
  const [reason, setReason] = useState('');
  const change = useChange('createAdjustment', {
    done: 'The adjustment is in the ledger',
    onDone: onClose,
    quiet: true,
  });
  const code = currency.trim().toLowerCase();
  const isKnown = isCurrency(code);
  const amountMinor = parseAmount(amount, code);
  const problem = isKnown ? amountProblem(amount, code) : undefined;
  return (
    <Dialog title="Adjust what a partner is owed" onClose={onClose}>
      <Form
        action="Add the adjustment"
        busy={change.isPending}
        error={change.error}
        disabled={amountMinor === null || problem !== undefined || partner === ''}
        onSend={() =>
          change.mutate({
            body: { partnerId: partner, amount: amountMinor ?? 0, currency: code, reason },
          })
        }
      >
        <PartnerChooser
          value={partner}
          onChoose={setPartner}
          withArchived
          problem={problemOf(change.error, 'partnerId')}
        />
        <div className="grid grid-cols-[minmax(0,1fr)_6rem] items-start gap-4 max-[16rem]:grid-cols-1">
          <Field
            label="Amount"
            inputMode="decimal"
            placeholder="25.00 or -25.00"
            required
            value={amount}
            onText={setAmount}
            hint="Negative amounts are deducted."
            problem={problem ?? problemOf(change.error, 'amount')}
          />
          <Field
            label="Currency"
            required
            value={currency}
            onText={setCurrency}
            problem={isKnown || code === '' ? problemOf(change.error, 'currency') : 'Not a code such as USD'}
          />
        </div>
        <Field label="Reason" required value={reason} onText={setReason} hint="It stays in the ledger permanently." />
      </Form>
    </Dialog>
  );
}
