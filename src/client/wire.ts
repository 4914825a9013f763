import type { LeadInput, SaleInput } from './api-types.ts';

export type {
  EmbedToken,
  EmbedTokenInput as EmbedTokenRequest,
  InvoiceRefundInput as Refund,
  ParkedPayment,
  SaleDetail as RefundAnswer,
  TrackedLead as LeadAnswer,
  TrackedSale as SaleAnswer,
} from './api-types.ts';

/** The API's input, except that the click id may be missing. */
export interface Lead extends Omit<LeadInput, 'clickId'> {
  /** From `clickIdFromRequest`. Without one, nobody referred this visitor and nothing is sent. */
  clickId: string | null | undefined;
}

/** The client generates a missing `invoiceId`, so that a retry never counts twice. */
export interface Sale extends Omit<SaleInput, 'clickId'> {
  /** From `clickIdFromRequest`. Without one, the customer's lead decides which partner earns. */
  clickId?: string | null | undefined;
}
