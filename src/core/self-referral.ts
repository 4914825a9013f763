import type { TraceStep } from './attribution.ts';
import type { ProgramTerms } from './terms.ts';

/** The review of a sale whose buyer looks like its partner; a `flagged` sale waits for a decision and is not paid out. */
export const REVIEWS = ['flagged', 'approved', 'rejected'] as const;

export type Review = (typeof REVIEWS)[number];

/**
 * Detects a partner's own purchase: one of the buyer's e-mail addresses is the partner's, ignoring case.
 *
 * Rule `off`: null. `flag`: the sale is flagged. `refuse`: it is rejected at once. Also null when no address is known.
 * The trace line names the partner, but no address.
 */
export function selfReferralFor(
  rule: ProgramTerms['selfReferral'],
  partner: { id: string; email: string },
  buyerEmails: readonly (string | null)[],
): { review: Review; step: TraceStep } | null {
  const address = partner.email.toLowerCase();
  if (rule === 'off' || !buyerEmails.some((email) => email?.trim().toLowerCase() === address)) return null;
  const step = { step: 'self_referral', value: partner.id, result: 'noted' } as const;
  const same = "the buyer's e-mail address is the partner's";
  return rule === 'flag'
    ? { review: 'flagged', step: { ...step, reason: `${same}: nothing is paid out until the sale is reviewed` } }
    : { review: 'rejected', step: { ...step, reason: `${same}: the program refuses self-referrals` } };
}
