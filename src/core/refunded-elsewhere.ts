import type { StoredRefund } from './refund-report.ts';
import { NO_CHARGE } from './refunded.ts';

/** What had been refunded of a sale when it was imported, for which its amount and commission were lowered before. */
export interface RefundedElsewhere {
  /** In minor units of the currency, which is the sale's. */
  amountMinor: number;
  currency: string;
  /** When the sale was imported, in epoch milliseconds. */
  importedAt: number;
}

/** A refund as it is stored. */
type Refund = Pick<
  StoredRefund,
  'kind' | 'refundKey' | 'amount' | 'commissionable' | 'lines' | 'currency' | 'failed'
> & {
  chargeId: string | null;
  /** When it was reported first. */
  occurredAt: number;
};

/**
 * The refunds without those for which the sale was lowered before: that amount is taken off every total, and off the
 * earliest refunds by id. The first report of such a refund may arrive after the import. If it names a charge, it is left
 * out all the same, because the charge's total shows what was refunded since. Where there are no totals, every refund that
 * was reported after the import counts.
 */
export function withoutRefundedElsewhere<Row extends Refund>(
  refunds: readonly Row[],
  { amountMinor, currency, importedAt }: RefundedElsewhere,
): Row[] {
  if (amountMinor === 0) return [...refunds];
  let left = amountMinor;
  const isEarlier = (refund: Row) => !refund.failed && (refund.chargeId !== null || refund.occurredAt <= importedAt);
  return refunds
    .toSorted((a, b) => a.occurredAt - b.occurredAt || (a.refundKey < b.refundKey ? -1 : 1))
    .map((refund) => {
      if (refund.currency !== currency || refund.chargeId === NO_CHARGE) return refund;
      if (refund.kind === 'cumulative') return less(refund, amountMinor);
      if (!isEarlier(refund)) return refund;
      const before = left;
      left = Math.max(0, left - (refund.amount ?? 0));
      return less(refund, before - left);
    });
}

function less<Row extends Refund>(refund: Row, minor: number): Row {
  if (minor === 0) return refund;
  return { ...refund, amount: Math.max(0, (refund.amount ?? 0) - minor), commissionable: null, lines: [] };
}
