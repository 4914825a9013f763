import { z } from 'zod';

/** What of an account is relied on. */
export const accountSchema = z.object({
  object: z.literal('account'),
  id: z.string().regex(/^acct_[A-Za-z0-9]{8,}$/),
  country: z.string().nullish(),
  capabilities: z.object({ transfers: z.string().optional() }).optional(),
  details_submitted: z.boolean(),
  requirements: z
    .object({
      currently_due: z.array(z.string()).nullish(),
      past_due: z.array(z.string()).nullish(),
      disabled_reason: z.string().nullish(),
    })
    .nullish(),
});
export type Account = z.output<typeof accountSchema>;

/** Reasons that the partner, or time, removes: https://docs.stripe.com/api/accounts/object#account_object-requirements-disabled_reason */
const NOT_RESTRICTED: readonly string[] = [
  'requirements.past_due',
  'requirements.pending_verification',
  'action_required.requested_capabilities',
];

/** Why transfers to an account are refused, as what to do about it; null when they are not. */
export function flawOfAccount({ capabilities, details_submitted, requirements }: Account): string | null {
  const status = capabilities?.transfers;
  if (status === 'active') return null;
  if (!details_submitted) return 'The partner has not finished signing up at Stripe: send a new onboarding link';
  const reason = requirements?.disabled_reason ?? null;
  if (reason !== null && !NOT_RESTRICTED.includes(reason)) {
    const name = /^[a-z_.]{1,60}$/.test(reason) ? `: ${reason}` : '';
    return `Stripe has restricted the account${name}. Look at it in the Stripe Dashboard`;
  }
  const due = [...(requirements?.currently_due ?? []), ...(requirements?.past_due ?? [])];
  if (due.length > 0) return 'Stripe needs more information from the partner: send a new onboarding link';
  if (status === 'pending' || reason === 'requirements.pending_verification') {
    return 'Stripe is still checking what the partner has sent: wait for it';
  }
  if (status === undefined) {
    return 'The account does not have the capability to receive transfers: request it in the Stripe Dashboard';
  }
  return 'Stripe has not activated transfers for the account: look at it in the Stripe Dashboard';
}
