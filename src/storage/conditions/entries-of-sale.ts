/**
 * Joins `ledger_entries` to `sales`: every entry of a sale names its partner, its currency and its moment too
 * (`doctor` looks for one that does not), so that the index by partner finds it.
 */
export const isEntryOf = (entry: string, sale: string) =>
  `${entry}.partner_id = ${sale}.partner_id AND ${entry}.currency = ${sale}.currency
    AND ${entry}.available_at = ${sale}.available_at AND ${entry}.sale_id = ${sale}.id`;
