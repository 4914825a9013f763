import { NO_CHARGE } from './refunded.ts';

/** The parts of a report that decide which refunds a total contains. */
interface Timed {
  /** The charge that it is of; null: the whole payment, or not said. */
  chargeId: string | null;
  reportedAt: number;
  failed: boolean;
}

/**
 * The greatest total of each charge, and of the whole payment under null, in units. Each total is reduced by the refunds
 * that failed after it, if it contains them: it does unless the two are of different charges, or the refund is of none.
 *
 * @param totals in any order
 * @param refunds by id, in any order
 */
export function greatestTotals<Report extends Timed>(
  totals: readonly Report[],
  refunds: readonly Report[],
  unitsOf: (report: Report) => bigint,
): Map<string | null, bigint> {
  const failed = refunds.filter((refund) => refund.failed && refund.chargeId !== NO_CHARGE).toSorted(latestFirst);
  const failedSince = new Map<string | null, bigint>();
  const greatest = new Map<string | null, bigint>();
  let allSince = 0n;
  let next = 0;
  // each total is compared with sums of the failed refunds, not with each of them: there may be a thousand of both
  for (const total of totals.toSorted(latestFirst)) {
    const { chargeId, reportedAt } = total;
    for (let refund = failed[next]; refund && refund.reportedAt > reportedAt; next += 1, refund = failed[next]) {
      const units = unitsOf(refund);
      allSince += units;
      failedSince.set(refund.chargeId, (failedSince.get(refund.chargeId) ?? 0n) + units);
    }
    const since = chargeId === null ? allSince : (failedSince.get(null) ?? 0n) + (failedSince.get(chargeId) ?? 0n);
    const units = unitsOf(total) - since;
    if (units > (greatest.get(chargeId) ?? 0n)) greatest.set(chargeId, units);
  }
  return greatest;
}

function latestFirst(one: Timed, other: Timed): number {
  return other.reportedAt - one.reportedAt;
}
