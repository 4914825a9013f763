import type { CustomerHints } from './facts.ts';
import type { GivenCode } from './given-codes.ts';
import type { IdentityKey } from './identity.ts';

/** The step that found the partner, as a sale shows it. */
export const MATCHED_BY = [
  'click_id',
  'external_id',
  'metadata_click_id',
  'processor_customer',
  'discount_code',
  'email',
] as const;

export type MatchedBy = (typeof MATCHED_BY)[number];

/** `MatchedBy`, plus attribution by a person. */
export type SaleMatch = MatchedBy | 'by_hand';

/** One line of a sale's trace: what was checked, and why it matched or not. */
export interface TraceStep {
  step: SaleMatch | 'commission' | 'customer' | 'self_referral';
  /** Null when the step had nothing to check. */
  value: string | null;
  result: 'matched' | 'not_found' | 'noted' | 'skipped';
  reason: string;
}

/** One lookup; the first that finds a customer or partner decides. */
export type Candidate =
  | { step: 'external_id'; value: string; place: string }
  | { step: 'metadata_click_id'; value: string; place: string }
  | { step: 'processor_customer'; kind: 'customer' | 'subscription'; value: string; place: string }
  | { step: 'discount_code'; value: string; place: string }
  | { step: 'email'; value: string; place: string };

/**
 * The lookups for a payment that arrived by webhook, strongest first: the caller's customer id, a click id, the
 * processor's subscription and customer, discount codes, the e-mail address. The subscription goes first, because one customer
 * may pay for several of the caller's. Within a step, keeps the adapter's order. Empty when the payment has no hints at its
 * customer.
 */
export function candidatesFor(customer: CustomerHints, discountCodes: readonly string[]): Candidate[] {
  const candidates: Candidate[] = [];
  for (const hint of customer.externalIds) candidates.push({ step: 'external_id', ...hint });
  for (const hint of customer.clickIds) candidates.push({ step: 'metadata_click_id', ...hint });
  const { processorCustomerId, subscriptionId, email } = customer;
  if (subscriptionId !== null) {
    const place = "the processor's subscription id";
    candidates.push({ step: 'processor_customer', kind: 'subscription', value: subscriptionId, place });
  }
  if (processorCustomerId !== null) {
    const place = "the processor's customer id";
    candidates.push({ step: 'processor_customer', kind: 'customer', value: processorCustomerId, place });
  }
  for (const value of discountCodes) candidates.push({ step: 'discount_code', value, place: 'a discount code' });
  if (email !== null) candidates.push({ step: 'email', value: email, place: "the payer's e-mail address" });
  return candidates;
}

/** The codes stored with one of a payment's ids. */
type CodesOfId = Pick<IdentityKey, 'kind'> & { givenCodes: readonly GivenCode[] };

/**
 * Adds what earlier reports said about the processor's ids in a payment: after the payment's own codes, those given with
 * the subscription, then with the customer; as the last step, the e-mail address, wherever it was reported.
 */
export function addReported(candidates: Candidate[], stored: readonly CodesOfId[], email: string | null): void {
  const codes = (['subscription', 'customer'] as const).flatMap((kind) => {
    const given = stored.find((one) => one.kind === kind)?.givenCodes ?? [];
    const place = `a discount code given with the processor's ${kind} id`;
    return given.map(({ code: value }) => ({ step: 'discount_code', value, place }) as const);
  });
  const emailAt = candidates.findIndex(({ step }) => step === 'email');
  candidates.splice(emailAt === -1 ? candidates.length : emailAt, 0, ...codes);
  if (email === null) return;
  candidates.push({ step: 'email', value: email, place: "the processor's e-mail address of its customer" });
}

/** The trace line for a candidate that matched. */
export function stepMatched(candidate: Candidate, found: string): TraceStep {
  return traceStep(candidate, 'matched', found);
}

/** The trace line for a candidate that did not match. */
export function stepNotFound(candidate: Candidate): TraceStep {
  return traceStep(candidate, 'not_found', NOT_FOUND_REASONS[candidate.step]);
}

/** The trace line for a candidate that leads to a partner of a program that the payment's endpoint is not for. */
export function stepOfOtherProgram(candidate: Candidate, found: string): TraceStep {
  return traceStep(candidate, 'skipped', `${found}, whose program is not the one that the endpoint is for`);
}

function traceStep({ step, value, place }: Candidate, result: TraceStep['result'], reason: string): TraceStep {
  return { step, value, result, reason: `${place}: ${reason}` };
}

const NOT_FOUND_REASONS: Record<Candidate['step'], string> = {
  external_id: 'no lead or sale has named this customer yet',
  metadata_click_id: 'no click with this id was recorded',
  processor_customer: 'no earlier delivery linked it to a known customer',
  discount_code: 'belongs to no partner',
  email: 'no customer of a program with e-mail matching has it',
};
