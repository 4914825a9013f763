import type { Commission } from '../../core/terms.ts';
import type { ImportedPayment } from '../../payments/imports/imported-payment.ts';
import type { AtProcessor, ImportedPerson } from '../../payments/imports/imported-person.ts';

/**
 * What an account at another service holds, in our terms. A source yields these in the order programs, partners, links,
 * discount codes, customers, commissions, payouts, so that each comes after what it names. `id` is the other service's
 * own. Amounts are minor units of their currency, times are epoch milliseconds.
 */
export type MovedFact =
  | MovedProgram
  | MovedPartner
  | MovedLink
  | MovedCode
  | MovedCustomer
  | MovedCommission
  | MovedPayout;

export interface MovedProgram {
  kind: 'program';
  id: string;
  name: string;
  /** Null if the service does not state its terms. */
  commission: Commission | null;
  /** Null: no end; 0: the first sale only. */
  durationMonths: number | null;
  holdDays: number | null;
  minimumPayout: Readonly<Record<string, number>>;
  /** Query parameters of links that carry a key, such as `via`. */
  viaParameters: readonly string[];
}

export interface MovedPartner {
  kind: 'partner';
  id: string;
  /** Null if the service has a single program that it does not name. */
  programId: string | null;
  email: string;
  name: string;
  tenantId: string | null;
  /** Those that a row states; the API of a service lists them apart. */
  discountCodes?: readonly string[];
}

export interface MovedLink {
  kind: 'link';
  id: string;
  partnerId: string;
  /** Null for this service's own host. */
  domain: string | null;
  key: string;
  url: string;
}

export interface MovedCode {
  kind: 'code';
  id: string;
  partnerId: string;
  code: string;
  /** Others of the partner, which a dry run adds together. */
  otherCodes?: readonly string[];
}

/** A person, and how payments will name them. */
export interface MovedPerson extends ImportedPerson {
  atProcessor: AtProcessor | null;
}

export interface MovedCustomer extends MovedPerson {
  kind: 'customer';
  id: string;
  partnerId: string;
}

/** `open`: owed, and not paid. `reversed`: taken back before it was paid. */
export type MovedStatus = 'open' | 'paid' | 'reversed';

export interface MovedCommission {
  kind: 'commission';
  id: string;
  partnerId: string;
  /** Negative where it takes back a part of others, as for a refund; then it has no sale. */
  amountMinor: number;
  currency: string;
  status: MovedStatus;
  occurredAt: number;
  /** When it may be paid out; null for the hold of its program. */
  dueAt: number | null;
  /** When it was paid; null if it is not paid, or the service does not say when. */
  paidAt: number | null;
  /** The payout that paid it; null if it is not paid, or the service does not say which. */
  payout: { id: string; paidAt: number } | null;
  /** The ids of the payment that earned it. A payment that was already counted here is found by them. */
  payment: MovedPayment;
  /** True for a row that states a sale and, besides, what it earned. Other rows may state the same commission. */
  isSaleRow?: true;
  /** The sale that earned it; null if the service does not say enough about it. */
  sale: MovedSale | null;
}

/** The ids of a payment; none if the service does not state any. `references`: such as its charge at the processor. */
export type MovedPayment = ImportedPayment;

export interface MovedSale {
  customer: MovedPerson;
  /** The amount that the commission was computed from, and what the customer paid; in the currency of the sale. */
  amountMinor: number;
  grossMinor: number;
  /** What was refunded of the gross, if the service has lowered the amount and the commission for it; otherwise 0. */
  refundedMinor: number;
  currency: string;
}

/** A payout that was paid. */
export interface MovedPayout {
  kind: 'payout';
  id: string;
  partnerId: string;
  amountMinor: number;
  currency: string;
  paidAt: number;
}

/** Something at the service that becomes nothing here. */
export interface NotCarried {
  /** `left out`: we have no place for it. `refused`: it cannot be read without guessing. */
  kind: 'left out' | 'refused';
  /** What it is at the service, such as `commission`. */
  what: string;
  id: string;
  reason: string;
}

export type SourceItem = MovedFact | NotCarried;
export type MovedKind = MovedFact['kind'];

export const MOVED_KINDS = [
  'program',
  'partner',
  'link',
  'code',
  'customer',
  'commission',
  'payout',
] as const satisfies MovedKind[];
