import { useState } from 'react';
import { RAIL_FORMS } from '../../../../rails/forms.ts';
import type { Answer } from '../../../parts/api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { type Option, Select } from '../../ui/field.tsx';
import { DetailsForm, type Rail } from './details-form.tsx';
import { StripeSignUp } from './stripe-sign-up.tsx';

type Partner = Answer<'getPartner'>;

const RAILS = Object.entries(RAIL_FORMS).map(([rail, { title }]): Option => [rail, title]);

/** Sets how the partner is paid. */
export function PayoutDetailsDialog({ partner, onClose }: { partner: Partner; onClose(): void }) {
  const [rail, setRail] = useState<Rail>(partner.payoutDetails?.rail ?? 'paypal');
  /** When it was opened: a link to sign up makes Stripe the way to be paid, and must stay to be copied. */
  const [hadStripe] = useState(partner.payoutDetails?.rail === 'stripe');
  /** Shown once. */
  const [link, setLink] = useState<Answer<'createPayoutOnboardingLink'> | null>(null);
  const choice = <Select label="Paid by" value={rail} onText={(text) => setRail(text as Rail)} options={RAILS} />;
  return (
    <Dialog
      title={`How ${partner.name} is paid`}
      onClose={onClose}
      loses={link === null ? undefined : 'The link is not shown again.'}
      className="max-w-lg"
    >
      {rail === 'stripe' && !hadStripe ? (
        <StripeSignUp partner={partner} choice={choice} link={link} onLink={setLink} onClose={onClose} />
      ) : (
        <DetailsForm partner={partner} rail={rail} choice={choice} onClose={onClose} />
      )}
    </Dialog>
  );
}
