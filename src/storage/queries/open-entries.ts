/** Conditions on `ledger_entries e`, in one place because a run, the lists and the earnings must agree. */

/** No payout has the entry: none ever had, or those that had failed or were canceled. */
export const IS_OPEN = `NOT EXISTS (SELECT 1 FROM payout_entries a WHERE a.entry_id = e.id AND a.live = 1)`;

/** Nobody has to decide about the entry's sale first. */
const IS_DECIDED = `NOT EXISTS (SELECT 1 FROM sales f WHERE f.id = e.sale_id AND f.review = 'flagged')`;

/** The hold is over at `@at`. */
export const IS_DUE = `e.available_at <= @at AND ${IS_DECIDED}`;
