/**
 * The statuses of a sale: `pending` during its hold, then `approved`, then `paid` with its payout; `refunded` in full;
 * `disputed` while a dispute is open; `rejected` for a self-referral that earns nothing.
 */
export const SALE_STATUSES = ['pending', 'approved', 'paid', 'refunded', 'disputed', 'rejected'] as const;

export type SaleStatus = (typeof SALE_STATUSES)[number];
