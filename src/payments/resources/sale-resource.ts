import { isoTime } from '../../core/time.ts';
import type { SaleView } from '../queries/list-sales.ts';
import type { SaleResource } from './sale-schemas.ts';

/** The resource of a sale. */
export function asSale(sale: SaleView): SaleResource {
  return {
    id: sale.id,
    amount: sale.amount,
    currency: sale.currency,
    commissionAmount: sale.commissionAmount,
    status: sale.status,
    invoiceId: sale.invoiceId,
    paymentProcessor: sale.paymentProcessor,
    grossAmount: sale.grossAmount,
    refundedAmount: sale.refundedAmount,
    reversedCommissionAmount: sale.reversedCommissionAmount,
    eventName: sale.eventName,
    customer: { externalId: sale.externalId, email: sale.email, name: sale.name },
    programId: sale.programId,
    partnerId: sale.partnerId,
    partnerName: sale.partnerName,
    linkId: sale.linkId,
    clickId: sale.clickId,
    occurredAt: isoTime(sale.occurredAt),
    createdAt: isoTime(sale.createdAt),
    attribution: { matchedBy: sale.matchedBy, steps: sale.steps },
    review: sale.review,
    note: sale.voidedReason,
  };
}
