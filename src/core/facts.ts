import type { SaleId } from './ids.ts';

/**
 * Facts: what an adapter reads out of a delivery. A closed union, and all that the rest of the code knows of a processor.
 *
 * All amounts are integers in ISO 4217 minor units of the fact's own `currency` (lower case), already converted from
 * the processor's units. All times are epoch milliseconds. Ids are the processor's, verbatim and trimmed.
 * `fact-limits.ts` enforces these rules, once for all adapters.
 */

/** What a delivery says about who paid. Every list is in the order to try, the strongest first. */
export interface CustomerHints {
  /** Values of `svcCustomerExternalId`, each with where it was found (`session.metadata`). */
  externalIds: Hint[];
  /** Values that may be click ids: `svc_id`, Stripe's `client_reference_id`. */
  clickIds: Hint[];
  processorCustomerId: string | null;
  subscriptionId: string | null;
  /** Lower-cased. */
  email: string | null;
  name: string | null;
  /** The URL of a picture; only the caller's own reports have one. */
  avatar?: string;
}

export interface Hint {
  value: string;
  /** The path in the processor's own payload, for the trace: `invoice.parent.subscription_details.metadata`. */
  place: string;
}

/** Money arrived. A zero amount is not such a fact: the adapter returns `ignored` or `noted` instead. */
export interface PaymentReceived {
  kind: 'payment.received';
  /** Every id that names this payment, `invoiceId` among them, without repeats. */
  references: string[];
  /**
   * The processor's id of the payment, unique per account: `in_…`, else `pi_…`, else `cs_…`; an order id. Null only in a
   * report of the caller's backend that names none.
   */
  invoiceId: string | null;
  /** The total that the customer paid, > 0. */
  grossMinor: number;
  /** After discounts, without tax and shipping, 0 ≤ net ≤ gross. */
  netMinor: number;
  taxMinor: number;
  shippingMinor: number;
  currency: string;
  /** The amount that the shopper saw, when the processor converts (Shopify); refunds may use this currency. */
  presentment: { currency: string; grossMinor: number } | null;
  /** True for a renewal: a payment of a subscription after its first. */
  recurring: boolean;
  customer: CustomerHints;
  /** Discount or promotion codes and their ids, as the processor gives them. */
  discountCodes: string[];
  occurredAt: number;
  /** True when the report knows the money but not what was sold: amounts of another report of this payment replace its. */
  isBare?: true;
  /**
   * How many units of each line were paid for, by the processor's id of the line; absent when it names none. Refunds of other
   * lines and further units take nothing from this payment.
   */
  lines?: PaidLines;
  /**
   * When the processor wrote the report, where it may report a payment again after it was changed: of two reports, the
   * amounts and lines of the one written first hold.
   */
  statedAt?: number;
  /** Set when the caller's backend reported the payment: its net amount is the base of the commission on any terms. */
  order?: CallerOrder;
}

/** Quantities > 0 by line id. */
export type PaidLines = Readonly<Record<string, number>>;

/** What only the caller's own report of a payment says. */
export interface CallerOrder {
  eventName: string;
  metadata: Record<string, unknown> | null;
}

/** A payment was agreed on and will arrive: its amounts as if it were received. Counts nothing by itself. */
export interface PaymentAnnounced extends Omit<PaymentReceived, 'kind' | 'isBare' | 'order'> {
  kind: 'payment.announced';
}

/** The money of a payment arrived. Makes an announced payment received, in proportion; counts nothing by itself. */
export interface PaymentCaptured {
  kind: 'payment.captured';
  references: string[];
  amountMinor: number;
  currency: string;
  occurredAt: number;
}

/** These references name one payment, or this customer paid it; no money moved. A single reference needs a customer. */
export interface PaymentReferenced {
  kind: 'payment.referenced';
  references: string[];
  /** Who paid, when the references are all that the report and its payment share. */
  customer?: CustomerHints;
  /** Codes that were used for the payment, whose own report may lack them. */
  discountCodes?: string[];
}

/**
 * Money went back: either one refund by its id and amount, or the cumulative amount that a payment has refunded so far.
 * Both forms may report the same refund, which counts once.
 */
export interface PaymentRefunded {
  kind: 'payment.refunded';
  references: string[];
  refund: RefundedById | { cumulativeAmountMinor: number };
  currency: string;
  occurredAt: number;
}

export interface RefundedById {
  refundId: string;
  amountMinor: number;
  /** What the amount gave back of the net amount, without tax and shipping, ≤ amount; absent when the processor does not say. */
  commissionableMinor?: number;
  /** The lines in the amount, and what else is in it; absent when the processor does not say. */
  lines?: RefundedLine[];
}

/** Units of a line that were refunded, in the currency of the refund. */
export interface RefundedLine {
  /** Null for what is of no line and was paid for: shipping and the like, as one unit without a commissionable part. */
  lineId: string | null;
  /** > 0. */
  quantity: number;
  /** With tax. */
  amountMinor: number;
  /** Without tax, ≤ amount. */
  commissionableMinor: number;
}

/** A refund failed, was canceled or was reversed by the processor. */
export interface PaymentRefundUndone {
  kind: 'payment.refund_undone';
  references: string[];
  refundId: string;
  /** Null when the processor does not say; the amount of the refund with this id counts then. */
  amountMinor: number | null;
  currency: string;
  occurredAt: number;
}

/**
 * `won`: the merchant keeps the money. `returned`: no dispute of its own, but money that came back after one was lost,
 * where the processor reports that separately and names only the payment.
 */
export const DISPUTE_STATES = ['open', 'won', 'lost', 'returned'] as const;

export type DisputeState = (typeof DISPUTE_STATES)[number];

/** Inquiries and warnings move no money, so they are `noted` instead. */
export interface PaymentDisputed {
  kind: 'payment.disputed';
  references: string[];
  disputeId: string;
  amountMinor: number;
  currency: string;
  state: DisputeState;
  occurredAt: number;
  /** The id under which earlier versions stored this dispute. */
  earlierId?: string;
}

/** A processor's ids of one person, and what else is known about that person. */
export interface CustomerIdentified {
  kind: 'customer.identified';
  customer: CustomerHints;
  occurredAt: number;
}

/** The processor demands that everything about a person be erased. */
export interface CustomerErased {
  kind: 'customer.erased';
  customer: CustomerHints;
  /** Payments of that person; absent when none is named. */
  references?: string[];
}

/** Whoever sent these deliveries has left, and demands that everything be erased that came from there. */
export interface EndpointErased {
  kind: 'endpoint.erased';
}

/** Worth recording with the delivery, without effect on money or identity: a cancellation, an inquiry. */
export interface Noted {
  kind: 'noted';
  what: string;
}

export type Fact =
  | PaymentReceived
  | PaymentAnnounced
  | PaymentCaptured
  | PaymentReferenced
  | PaymentRefunded
  | PaymentRefundUndone
  | PaymentDisputed
  | CustomerIdentified
  | CustomerErased
  | EndpointErased
  | Noted;

/** What `interpret` returns. `ignored` and `unknown` give the operator a reason. */
export type Interpretation =
  | { kind: 'facts'; facts: Fact[] }
  | { kind: 'ignored'; reason: string }
  | { kind: 'unknown'; reason: string };

/** The outcomes of a delivery, strongest first: a delivery gets the strongest outcome of its facts. */
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

/** The outcome of one fact, or of a whole delivery. */
export interface FactOutcome {
  outcome: Outcome;
  /** For the operator; null when the outcome says everything. */
  reason: string | null;
  saleId: SaleId | null;
}

/** The outcome that wins among several; `noted` for none, which is a delivery whose facts were all known already. */
export function strongestOutcome(outcomes: readonly Outcome[]): Outcome {
  return OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'noted';
}
