import type { LeadInput, SaleInput } from './api-types.ts';

export type {
  EmbedToken,
  EmbedTokenInput as EmbedTokenRequest,
  TrackedLead as LeadAnswer,
  TrackedSale as SaleAnswer,
} from './api-types.ts';

interface Referred {
  /** From `clickIdFromRequest`. Without one, nobody referred this visitor and nothing is sent. */
  clickId: string | null | undefined;
}

/** The API's input, except that the click id may be missing. */
export interface Lead extends Omit<LeadInput, 'clickId'>, Referred {}

/** The client generates a missing `invoiceId`, so that a retry never counts twice. */
export interface Sale extends Omit<SaleInput, 'clickId'>, Referred {}
