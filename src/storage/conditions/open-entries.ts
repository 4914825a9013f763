/**
 * Conditions on `ledger_entries e`, in one place because a run, the lists and the earnings must agree. Scalar subqueries,
 * because they are one look-up by key per entry whatever the planner knows: PostgreSQL turned NOT EXISTS, before its
 * first ANALYZE, into a join that reread all assignments for each entry (100,000 entries: more than 5 s).
 */

/** No payout has the entry: none ever had, or those that had failed or were canceled. */
export const IS_OPEN = '(SELECT a.payout_id FROM payout_entries a WHERE a.entry_id = e.id AND a.live = 1) IS NULL';

/** Nobody has to decide about the entry's sale first. */
const IS_DECIDED =
  "COALESCE((SELECT f.review FROM sales f WHERE f.account_id = e.account_id AND f.id = e.sale_id), '') <> 'flagged'";

/** The hold is over at `@at`. */
export const IS_DUE = `e.available_at <= @at AND ${IS_DECIDED}`;
