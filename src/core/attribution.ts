import type { CustomerHints } from './facts.ts';

/** Which step found the partner, as a sale shows it. */
export const MATCHED_BY = [
  'click_id',
  'external_id',
  'metadata_click_id',
  'processor_customer',
  'discount_code',
  'email',
] as const;

export type MatchedBy = (typeof MATCHED_BY)[number];

/** One line of a sale's trace: what was looked at, and why it won or lost. */
export interface TraceStep {
  step: MatchedBy | 'by_hand' | 'commission' | 'customer' | 'self_referral';
  /** Null where the step had nothing to look at. */
  value: string | null;
  result: 'matched' | 'not_found' | 'noted' | 'skipped';
  reason: string;
}

/** One thing to look up; the first that is found decides. */
export type Candidate =
  | { step: 'external_id'; value: string; place: string }
  | { step: 'metadata_click_id'; value: string; place: string }
  | { step: 'processor_customer'; kind: 'customer' | 'subscription'; value: string; place: string }
  | { step: 'discount_code'; value: string; place: string }
  | { step: 'email'; value: string; place: string };

/**
 * What to look up for a payment that came by webhook, strongest first (design, section 6): the caller's customer id, a
 * click id, the processor's customer and subscription, discount codes, the e-mail address. Order within a step is the
 * adapter's. Empty for a payment that says nothing of anybody.
 */
export function candidatesFor(customer: CustomerHints, discountCodes: readonly string[]): Candidate[] {
  const candidates: Candidate[] = [];
  for (const hint of customer.externalIds) candidates.push({ step: 'external_id', ...hint });
  for (const hint of customer.clickIds) candidates.push({ step: 'metadata_click_id', ...hint });
  const { processorCustomerId, subscriptionId, email } = customer;
  if (processorCustomerId !== null) {
    const place = "the processor's customer id";
    candidates.push({ step: 'processor_customer', kind: 'customer', value: processorCustomerId, place });
  }
  if (subscriptionId !== null) {
    const place = "the processor's subscription id";
    candidates.push({ step: 'processor_customer', kind: 'subscription', value: subscriptionId, place });
  }
  for (const value of discountCodes) candidates.push({ step: 'discount_code', value, place: 'a discount code' });
  if (email !== null) candidates.push({ step: 'email', value: email, place: "the payer's e-mail address" });
  return candidates;
}

/** The trace's line for a candidate that found somebody. */
export function stepMatched(candidate: Candidate, found: string): TraceStep {
  return { step: candidate.step, value: candidate.value, result: 'matched', reason: `${candidate.place}: ${found}` };
}

/** The trace's line for a candidate that found nobody. */
export function stepNotFound(candidate: Candidate): TraceStep {
  return {
    step: candidate.step,
    value: candidate.value,
    result: 'not_found',
    reason: `${candidate.place}: ${NOBODY[candidate.step]}`,
  };
}

const NOBODY: Record<Candidate['step'], string> = {
  external_id: 'no lead or sale has named this customer yet',
  metadata_click_id: 'no click with this id was recorded',
  processor_customer: 'no earlier delivery tied it to a known customer',
  discount_code: 'belongs to no partner',
  email: 'no customer of a program that matches by e-mail has it',
};
