import { type CsvColumns, moneyCell } from '../app/csv-list.ts';
import type { EntryResource } from './schemas.ts';

const columns: CsvColumns<EntryResource> = {
  entry_id: ({ id }) => id,
  created_at: ({ createdAt }) => createdAt,
  partner_id: ({ partnerId }) => partnerId,
  partner_name: ({ partnerName }) => partnerName,
  kind: ({ kind }) => kind,
  currency: ({ currency }) => currency.toUpperCase(),
  amount: ({ amount, currency }) => moneyCell(amount, currency),
  reason: ({ reason }) => reason,
  available_at: ({ availableAt }) => availableAt,
  sale_id: ({ saleId }) => saleId,
  payout_id: ({ payoutId }) => payoutId,
};

/** The ledger as a file. */
export const LEDGER_FILE = { name: 'ledger', columns };
