import { type CsvColumns, moneyCell } from '../../app/csv-list.ts';
import type { SaleResource } from '../resources/sale-schemas.ts';

const columns: CsvColumns<SaleResource> = {
  sale_id: ({ id }) => id,
  occurred_at: ({ occurredAt }) => occurredAt,
  partner_id: ({ partnerId }) => partnerId,
  partner_name: ({ partnerName }) => partnerName,
  customer_external_id: ({ customer }) => customer.externalId,
  customer_email: ({ customer }) => customer.email,
  event_name: ({ eventName }) => eventName,
  invoice_id: ({ invoiceId }) => invoiceId,
  processor: ({ paymentProcessor }) => paymentProcessor,
  currency: ({ currency }) => currency.toUpperCase(),
  amount: ({ amount, currency }) => moneyCell(amount, currency),
  gross_amount: ({ grossAmount, currency }) => moneyCell(grossAmount, currency),
  refunded_amount: ({ refundedAmount, currency }) => moneyCell(refundedAmount, currency),
  commission: ({ commissionAmount, currency }) => moneyCell(commissionAmount, currency),
  reversed_commission: (sale) => moneyCell(sale.reversedCommissionAmount, sale.currency),
  status: ({ status }) => status,
  review: ({ review }) => review,
  matched_by: ({ attribution }) => attribution.matchedBy,
};

/** The list of sales as a file. */
export const SALES_FILE = { name: 'sales', columns };
