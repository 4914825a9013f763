/** How much of a payment went back, as a processor reports it; minor units of the fact's currency. */

/** The total refunded so far. */
export interface RefundedSoFar {
  cumulativeAmountMinor: number;
  /** The charge, where several may pay one invoice; absent: the amount is of the whole payment. */
  chargeId?: string;
  /** Never captured, but reported as refunded too: not in the amount, and one refund by id of it takes nothing. */
  releasedMinor?: number;
}

/**
 * The `chargeId` of a refund that was paid back outside of all charges, in cash or by bank transfer: no total of a charge
 * contains it.
 */
export const NO_CHARGE = 'none';

/** One refund. */
export interface RefundedById {
  refundId: string;
  amountMinor: number;
  /**
   * The charge that is refunded, where several may pay one invoice: the same id as in cumulative reports of that charge; or
   * `NO_CHARGE`. Absent: of the whole payment, or not said.
   */
  chargeId?: string;
  /** What the amount gave back of the net amount, without tax and shipping, ≤ amount; absent when the processor does not say. */
  commissionableMinor?: number;
  /** The lines in the amount, plus anything else in it; absent when the processor does not say. */
  lines?: RefundedLine[];
}

/** Refunded units of a line, in the currency of the refund. */
export interface RefundedLine {
  /** Null for what was paid for but belongs to no line, such as shipping: one unit without a commissionable part. */
  lineId: string | null;
  /** > 0. */
  quantity: number;
  /** With tax. */
  amountMinor: number;
  /** Without tax, ≤ amount. */
  commissionableMinor: number;
}
