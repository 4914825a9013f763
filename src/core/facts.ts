/**
 * Facts: what an adapter reads out of a delivery. A closed union; core and tracking know nothing else of a processor.
 *
 * All amounts are integers in ISO 4217 minor units of the fact's own `currency` (lower case), already converted from
 * the processor's way of counting. All times are epoch milliseconds. Ids are the processor's, verbatim and trimmed.
 */

/** What a delivery says of who paid. Every list is in the order in which it is to be tried, the strongest first. */
export interface CustomerHints {
  /** Values of `svcCustomerExternalId`, each with the place it stood in (`session.metadata`). */
  externalIds: Hint[];
  /** Values that may be click ids: `svc_id`, Stripe's `client_reference_id`. */
  clickIds: Hint[];
  processorCustomerId: string | null;
  subscriptionId: string | null;
  /** Lower-cased. */
  email: string | null;
  name: string | null;
}

export interface Hint {
  value: string;
  /** The path in the processor's own payload, for the trace: `invoice.parent.subscription_details.metadata`. */
  place: string;
}

/** Money arrived. Zero amounts are no fact of this kind: the adapter answers `ignored` or `noted` instead. */
export interface PaymentReceived {
  kind: 'payment.received';
  /** Every id that names this payment, `invoiceId` among them, without repeats. */
  references: string[];
  /** The processor's key of the payment, unique per account: `in_…`, else `pi_…`, else `cs_…`; an order id. */
  invoiceId: string;
  /** All that the customer paid, > 0. */
  grossMinor: number;
  /** After discounts, without tax and shipping, 0 ≤ net ≤ gross. */
  netMinor: number;
  taxMinor: number;
  shippingMinor: number;
  currency: string;
  /** What the shopper saw, where the processor converts (Shopify): refunds may name this currency. */
  presentment: { currency: string; grossMinor: number } | null;
  /** True for a renewal: a payment of a subscription after its first. */
  recurring: boolean;
  customer: CustomerHints;
  /** Discount or promotion codes and their ids, as the processor gives them. */
  discountCodes: string[];
  occurredAt: number;
}

/** These references name one payment; no money moved. */
export interface PaymentReferenced {
  kind: 'payment.referenced';
  references: string[];
}

/**
 * Money went back. Either one refund by its id with its own amount, or the cumulative amount refunded so far of a
 * payment; both families of one refund may arrive, and count once.
 */
export interface PaymentRefunded {
  kind: 'payment.refunded';
  references: string[];
  refund: { refundId: string; amountMinor: number } | { cumulativeAmountMinor: number };
  currency: string;
  occurredAt: number;
}

/** A refund failed, was canceled or was taken back by the processor. */
export interface PaymentRefundUndone {
  kind: 'payment.refund_undone';
  references: string[];
  refundId: string;
  /** Null where the processor does not say; then the amount of the refund with this id counts. */
  amountMinor: number | null;
  currency: string;
  occurredAt: number;
}

/** Inquiries and warnings are `noted`, not this: they move no money. */
export interface PaymentDisputed {
  kind: 'payment.disputed';
  references: string[];
  disputeId: string;
  amountMinor: number;
  currency: string;
  state: 'open' | 'won' | 'lost';
  occurredAt: number;
}

/** Ids of the processor that belong to one person, and what else is known of them. */
export interface CustomerIdentified {
  kind: 'customer.identified';
  customer: CustomerHints;
  occurredAt: number;
}

/** Worth a line in the delivery's record, of no consequence for money or identity: a cancellation, an inquiry. */
export interface Noted {
  kind: 'noted';
  what: string;
}

export type Fact =
  | PaymentReceived
  | PaymentReferenced
  | PaymentRefunded
  | PaymentRefundUndone
  | PaymentDisputed
  | CustomerIdentified
  | Noted;

/** What `interpret` answers. `ignored` and `unknown` say why in a sentence for the operator. */
export type Interpretation =
  | { kind: 'facts'; facts: Fact[] }
  | { kind: 'ignored'; reason: string }
  | { kind: 'unknown'; reason: string };

/** The words a delivery ends with, strongest first: the first that any of its facts earned wins. */
export const OUTCOMES = [
  'failed',
  'sale',
  'reversal',
  'unattributed',
  'duplicate',
  'noted',
  'ignored',
  'unknown',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** The word that wins among several; `noted` for none, which is a delivery whose facts were all known already. */
export function strongestOutcome(outcomes: readonly Outcome[]): Outcome {
  return OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'noted';
}
