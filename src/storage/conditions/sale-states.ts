/** A condition on `sales s`, and a literal term of the index `sales_refunded`. */
export const IS_REFUNDED =
  '(s.voided_reason IS NOT NULL OR (s.gross_amount > 0 AND s.refunded_amount >= s.gross_amount))';

/** The sales with the status `disputed`: those with an open dispute, unless nothing is left of them that it could hold. */
export const IS_DISPUTED = `s.disputed_open = 1 AND NOT ${IS_REFUNDED} AND COALESCE(s.review, '') <> 'rejected'`;
