import type { ProgramId } from './ids.ts';
import type { RefundedById, RefundedSoFar } from './refunded.ts';

/**
 * Facts: what an adapter reads out of a delivery. This closed union is all that the rest of the code knows about a
 * processor.
 *
 * All amounts are integers in ISO 4217 minor units of the fact's own `currency` (lower case), already converted from
 * the processor's units. All times are epoch milliseconds. Ids are the processor's, verbatim and trimmed.
 * `fact-limits.ts` enforces these rules once for all adapters.
 */

/** What a delivery says about who paid. Every list is in the order to try, strongest first. */
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
  /** The URL of a picture. Only the caller's own reports have one. */
  avatar?: string;
}

export interface Hint {
  value: string;
  /** The path in the processor's own payload, for the trace: `invoice.parent.subscription_details.metadata`. */
  place: string;
}

/** Money arrived. For a zero amount the adapter returns `ignored` or `noted` instead. */
export interface PaymentReceived {
  kind: 'payment.received';
  /** Every id that names this payment, including `invoiceId`, without duplicates. */
  references: string[];
  earlierName?: EarlierName;
  /**
   * The processor's id of the payment, unique per account: `in_…`, else `pi_…`, else `cs_…`; or an order id. Null only
   * when the caller's backend reports a payment without one.
   */
  invoiceId: string | null;
  /** Set when `invoiceId` is an invoice, and other references name what paid it. */
  paidInvoice?: PaidInvoice;
  /** Only in what is stored: the invoice that another report named, where `invoiceId` is the id of what paid it. */
  paidInvoiceId?: string;
  /** The total that the customer paid, > 0, in minor units. */
  grossMinor: number;
  /** After discounts, without tax and shipping, 0 ≤ net ≤ gross. */
  netMinor: number;
  taxMinor: number;
  shippingMinor: number;
  currency: string;
  /**
   * The amount that the shopper saw, when the processor converts currencies (Shopify). Refunds may use this currency.
   */
  presentment: { currency: string; grossMinor: number } | null;
  /**
   * True for a renewal: a payment of a subscription after its first. Decides only the sale's name; false when the
   * processor does not say.
   */
  recurring: boolean;
  customer: CustomerHints;
  /** Discount or promotion codes and their ids, as the processor gives them. */
  discountCodes: string[];
  occurredAt: number;
  /**
   * True when the report knows the money but not what was sold. Another report then replaces its amounts. In a caller's
   * report, only the total is a bare one.
   */
  isBare?: true;
  /**
   * The number of units paid for, by the processor's line id; absent when the processor names no lines. Refunds of
   * other lines, or of more units, take nothing from this payment.
   */
  lines?: PaidLines;
  /**
   * When the processor wrote the report, for processors that may report a payment again after a change. Of two reports,
   * the amounts and lines of the one written first are kept.
   */
  statedAt?: number;
  /** Set when every report came through endpoints of certain programs: only partners of these earn the payment. */
  onlyPrograms?: readonly ProgramId[];
  /**
   * Set when the caller's backend reported the payment. Its net amount is then the base of the commission on any terms.
   */
  order?: CallerOrder;
}

/** How earlier versions named a payment: by a reference that they gave to other payments, too. */
export interface EarlierName {
  reference: string;
  /** The time of the payment, by which it is recognized. */
  paidAt: number;
}

/** An invoice among a fact's references. What paid it may have paid more invoices, each of which is another payment. */
export interface PaidInvoice {
  id: string;
  /** How the processor's ids of invoices begin, and none of its other ids. */
  idPrefix: string;
}

/** Quantities > 0, by line id. */
export type PaidLines = Readonly<Record<string, number>>;

/** What only the caller's own report of a payment contains. */
export interface CallerOrder {
  eventName: string;
  metadata: Record<string, unknown> | null;
  /** Set when the gross amount is a processor's; otherwise it is the caller's amount. */
  isGrossReported?: true;
  /** Set when `occurredAt` is a processor's; otherwise it is when the caller first reported the payment. */
  isTimeReported?: true;
}

/** A payment was agreed on and will arrive. Has the amounts of a received payment, but counts nothing by itself. */
export interface PaymentAnnounced
  extends Omit<PaymentReceived, 'kind' | 'earlierName' | 'paidInvoice' | 'paidInvoiceId' | 'isBare' | 'order'> {
  kind: 'payment.announced';
}

/**
 * The money of a payment arrived. Turns an announced payment into a received one, in proportion. Counts nothing by
 * itself.
 */
export interface PaymentCaptured {
  kind: 'payment.captured';
  references: string[];
  amountMinor: number;
  currency: string;
  occurredAt: number;
}

/** These references name one payment, or this customer made it; no money moved. A single reference needs a customer. */
export interface PaymentReferenced {
  kind: 'payment.referenced';
  references: string[];
  /** Who paid. Set when the references are the only thing that this report and its payment have in common. */
  customer?: CustomerHints;
  /** Codes that were used for the payment, whose own report may lack them. */
  discountCodes?: string[];
  paidInvoice?: PaidInvoice;
}

/**
 * Money went back: either one refund by its id and amount, or the cumulative amount refunded for a payment so far. Both
 * forms may report the same refund, which counts once.
 */
export interface PaymentRefunded {
  kind: 'payment.refunded';
  references: string[];
  earlierName?: EarlierName;
  refund: RefundedById | RefundedSoFar;
  currency: string;
  /** When it was reported. */
  occurredAt: number;
  /** When the refund was made; absent when the processor does not say. */
  madeAt?: number;
}

/** A refund failed, was canceled or was reversed by the processor. */
export interface PaymentRefundUndone {
  kind: 'payment.refund_undone';
  references: string[];
  refundId: string;
  /** Null when the processor does not say; then the amount of the refund with this id counts. */
  amountMinor: number | null;
  chargeId?: string;
  /** Null when the processor does not say, together with the amount. */
  currency: string | null;
  occurredAt: number;
  madeAt?: number;
}

/**
 * `won`: the merchant keeps the money. `returned`: not a dispute, but money that came back after a lost one, where the
 * processor reports that separately and names only the payment.
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
  /** When it was opened, where earlier versions may have stored another dispute under `earlierId`. */
  openedAt?: number;
}

/** A processor's ids of one person, and what else is known about that person. */
export interface CustomerIdentified {
  kind: 'customer.identified';
  customer: CustomerHints;
  /**
   * Codes that were given for the subscription, or for the customer where the hints name no subscription. Set where payments
   * that follow may lack them, as after a free trial.
   */
  discountCodes?: string[];
  occurredAt: number;
}

/** The processor requires that everything about a person be erased. */
export interface CustomerErased {
  kind: 'customer.erased';
  customer: CustomerHints;
  /** That person's payments; absent when none is named. */
  references?: string[];
}

/** The merchant behind this endpoint has left and requires that everything received through it be erased. */
export interface EndpointErased {
  kind: 'endpoint.erased';
}

/** Worth recording with the delivery, but without effect on money or identity: a cancellation, an inquiry. */
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

/** What `interpret` returns. `ignored` and `unknown` carry a reason for the operator. */
export type Interpretation =
  | { kind: 'facts'; facts: Fact[] }
  | { kind: 'ignored'; reason: string }
  | { kind: 'unknown'; reason: string };
