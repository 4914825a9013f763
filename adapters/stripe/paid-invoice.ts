import type { PaidInvoice } from '../../src/core/facts.ts';

/** The member `paidInvoice` of a fact about this invoice; no member where there is none. */
export function ofInvoice(id: string | null): { paidInvoice?: PaidInvoice } {
  return id === null ? {} : { paidInvoice: { id, idPrefix: 'in_' } };
}
