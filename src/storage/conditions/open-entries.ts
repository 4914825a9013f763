/**
 * Conditions on `ledger_entries e`, in one place because payout runs, lists and earnings must agree. Scalar subqueries
 * always cost one key lookup per entry: before its first ANALYZE, PostgreSQL planned NOT EXISTS as a join that read all
 * assignments again for each entry (100,000 entries: more than 5 s).
 */

/** No payout contains the entry, or only payouts that failed or were canceled. */
export const IS_OPEN = '(SELECT a.payout_id FROM payout_entries a WHERE a.entry_id = e.id AND a.live = 1) IS NULL';

/** The entry's sale does not wait for a review. */
const IS_REVIEWED =
  "COALESCE((SELECT f.review FROM sales f WHERE f.account_id = e.account_id AND f.id = e.sale_id), '') <> 'flagged'";

/** The hold is over at `@at`. */
export const IS_DUE = `e.available_at <= @at AND ${IS_REVIEWED}`;
