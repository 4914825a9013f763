import { type CsvColumns, moneyCell } from '../app/csv-list.ts';
import type { ListedPayout, PayoutTotal } from './schemas.ts';

const columns: CsvColumns<ListedPayout> = {
  payout_id: ({ id }) => id,
  created_at: ({ createdAt }) => createdAt,
  partner_id: ({ partnerId }) => partnerId,
  partner_name: ({ partnerName }) => partnerName,
  currency: ({ currency }) => currency.toUpperCase(),
  amount: ({ amount, currency }) => moneyCell(amount, currency),
  entries: ({ entryCount }) => entryCount,
  status: ({ status }) => status,
  transfer_status: ({ transfer }) => transfer?.status ?? null,
  processing_at: ({ processingAt }) => processingAt,
  paid_at: ({ paidAt }) => paidAt,
  note: ({ note }) => note,
};

/** The list of payouts as a file. */
export const PAYOUTS_FILE = { name: 'payouts', columns };

const totalColumns: CsvColumns<PayoutTotal> = {
  year: ({ year }) => year,
  partner_id: ({ partnerId }) => partnerId,
  tenant_id: ({ tenantId }) => tenantId,
  partner_name: ({ partnerName }) => partnerName,
  partner_email: ({ partnerEmail }) => partnerEmail,
  currency: ({ currency }) => currency.toUpperCase(),
  payouts: ({ payoutCount }) => payoutCount,
  amount: ({ amountDecimal }) => ({ decimal: amountDecimal }),
};

/** The amounts paid to partners in a year, as a file. */
export const TOTALS_FILE = { name: 'payout-totals', columns: totalColumns };
