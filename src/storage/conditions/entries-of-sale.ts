/**
 * Joins `ledger_entries` to `sales`. Every entry repeats its sale's partner, currency and `available_at` (`doctor` reports
 * one that does not), so that the index by partner serves the join.
 */
export const isEntryOf = (entry: string, sale: string) =>
  `${entry}.partner_id = ${sale}.partner_id AND ${entry}.currency = ${sale}.currency
    AND ${entry}.available_at = ${sale}.available_at AND ${entry}.sale_id = ${sale}.id`;
