/** What is sent to and answered by the service, as the API documents it. Amounts are in the smallest currency unit. */

interface Conversion {
  /** From `clickIdFromRequest`. Without one nobody referred this visitor, and nothing is sent. */
  clickId: string | null | undefined;
  /** Your own id of the user; it links later sales and payments to this one. */
  customerExternalId: string;
  customerEmail?: string | null | undefined;
  customerName?: string | null | undefined;
  /** URL of a picture. */
  customerAvatar?: string | null | undefined;
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

export interface Lead extends Conversion {
  eventName: string;
}

export interface Sale extends Conversion {
  /** A whole number: 1999 is 19.99 dollars, or 1999 yen. */
  amount: number;
  /** ISO 4217; `usd` by default. */
  currency?: string | null | undefined;
  /** `Purchase` by default. */
  eventName?: string | null | undefined;
  /** Your order or invoice, which counts once; made by the client where it is missing. */
  invoiceId?: string | null | undefined;
  paymentProcessor?: 'stripe' | 'shopify' | 'polar' | 'paddle' | 'revenuecat' | 'custom' | null | undefined;
}

interface AnsweredCustomer {
  externalId: string;
  email: string | null;
  name: string | null;
}

export interface LeadAnswer {
  eventName: string;
  click: { id: string };
  link: { id: string; domain: string; key: string; url: string; programId: string };
  customer: AnsweredCustomer;
}

export interface SaleAnswer {
  eventName: string;
  customer: AnsweredCustomer;
  sale: {
    id: string;
    amount: number;
    currency: string;
    commissionAmount: number;
    status: string;
    invoiceId: string | null;
    paymentProcessor: string;
  };
}

/** Names the partner by at least one of `tenantId`, `enrollmentId` and `partner`. */
export interface EmbedTokenRequest {
  /** Your own id of the partner. */
  tenantId?: string | null | undefined;
  /** The service's id of the partner: `ptr_…`. */
  enrollmentId?: string | null | undefined;
  /** Created and enrolled when unknown. */
  partner?: { email: string; name?: string | null | undefined } | null | undefined;
  programId?: string | null | undefined;
  /** Seconds; an hour by default, a day at most. */
  expiresIn?: number | null | undefined;
}

export interface EmbedToken {
  publicToken: string;
  /** ISO 8601, UTC. */
  expires: string;
}
