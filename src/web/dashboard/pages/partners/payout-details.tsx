import { useState } from 'react';
import type { DetailName } from '../../../../rails/contract/form.ts';
import { RAIL_FORMS } from '../../../../rails/forms.ts';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Facts, Part } from '../../ui/split.tsx';
import { LABELS, RECEIVERS } from './detail-words.ts';
import { PayoutDetailsDialog } from './payout-details-dialog.tsx';
import { StripeAccount } from './stripe-account.tsx';

type Partner = Answer<'getPartner'>;

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
        <p className="text-sm text-muted-foreground">
          Not set: no file for a bank pays this partner, and nothing is sent.
        </p>
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
      {payoutDetails?.rail === 'stripe' && (
        <StripeAccount key={payoutDetails.account} partner={partner} mayChange={mayChange} />
      )}
      {isOpen && <PayoutDetailsDialog partner={partner} onClose={() => setOpen(false)} />}
    </Part>
  );
}

function shownValue(value: string | null): string | null {
  return RECEIVERS.find(([receiver]) => receiver === value)?.[1] ?? value;
}
