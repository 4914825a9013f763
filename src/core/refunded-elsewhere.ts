import { NO_CHARGE } from './refunded.ts';

/** A refund by its id. */
interface RefundById {
  refundKey: string;
  chargeId: string | null;
  reportedAt: number;
  failed: boolean;
  isEarlier?: boolean;
}

/** The refunds by id that succeeded, less what of them was refunded before the sale was imported. */
export interface RefundsSince<Refund> {
  /** Those that count as they are. */
  whole: Refund[];
  /** What is left of the others, in units. */
  restUnits: bigint;
  /** What was refunded before, and is in none of them, but in totals. */
  unseenUnits: bigint;
}

/**
 * Leaves out the refunds for which an imported sale was lowered before. Where one of them failed since, later refunds take
 * as much less.
 *
 * @param refunds by id, in any order
 * @param elsewhereUnits what had been refunded when the sale was imported
 */
export function refundsSince<Refund extends RefundById>(
  refunds: readonly Refund[],
  elsewhereUnits: bigint,
  unitsOf: (refund: Refund) => bigint,
): RefundsSince<Refund> {
  const succeeded = refunds.filter(({ failed }) => !failed);
  if (elsewhereUnits === 0n) return { whole: succeeded, restUnits: 0n, unseenUnits: 0n };
  const since: RefundsSince<Refund> = { whole: [], restUnits: 0n, unseenUnits: elsewhereUnits };
  const leaveOut = (refund: Refund, most: bigint) => {
    const units = unitsOf(refund);
    const taken = units < most ? units : most;
    since.unseenUnits -= taken;
    if (taken === 0n) since.whole.push(refund);
    else since.restUnits += units - taken;
    return taken;
  };
  const inOrder = succeeded.toSorted(byTime).filter(({ chargeId }) => chargeId !== NO_CHARGE);
  for (const refund of inOrder) if (refund.isEarlier) leaveOut(refund, since.unseenUnits);
  let credit = refunds.reduce((sum, refund) => (refund.failed && refund.isEarlier ? sum + unitsOf(refund) : sum), 0n);
  if (credit > since.unseenUnits) credit = since.unseenUnits;
  for (const refund of inOrder) if (!refund.isEarlier) credit -= leaveOut(refund, credit);
  since.whole.push(...succeeded.filter(({ chargeId }) => chargeId === NO_CHARGE));
  return since;
}

function byTime(one: RefundById, other: RefundById): number {
  return one.reportedAt - other.reportedAt || (one.refundKey < other.refundKey ? -1 : 1);
}
