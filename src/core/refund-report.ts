/** What all reports of one refund say together. Amounts are minor units of the refund's currency, times epoch milliseconds. */
export interface RefundState {
  /** Null while only a failure without an amount was reported. */
  amount: number | null;
  /** The part of the net amount; null when no report states it. */
  commissionable: number | null;
  /** Booked before refunds stated their part: stays a share of the gross. */
  isByShare: boolean;
  /** The latest success, and the latest failure. */
  refundedAt: number | null;
  failedAt: number | null;
}

/** The later report holds; at the same time, the success. */
export function hasFailed({ refundedAt, failedAt }: Pick<RefundState, 'refundedAt' | 'failedAt'>): boolean {
  return failedAt !== null && (refundedAt === null || refundedAt < failedAt);
}

/** Merges a further report. Amounts that are known stay; the order of the reports does not matter. */
export function mergeRefund(known: RefundState, report: RefundState): RefundState {
  return {
    amount: known.amount ?? report.amount,
    commissionable: known.isByShare ? null : (known.commissionable ?? report.commissionable),
    isByShare: known.isByShare,
    refundedAt: latest(known.refundedAt, report.refundedAt),
    failedAt: latest(known.failedAt, report.failedAt),
  };
}

/** True when both states take the same from their payment. */
export function takesTheSame(one: RefundState, other: RefundState): boolean {
  return (
    one.amount === other.amount && one.commissionable === other.commissionable && hasFailed(one) === hasFailed(other)
  );
}

function latest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
