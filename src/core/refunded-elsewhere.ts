import { multiplyRatio } from './money.ts';
import type { StoredRefund } from './refund-report.ts';
import { NO_CHARGE } from './refunded.ts';

/** What had been refunded of a sale when it was imported, for which its amount and commission were lowered before. */
export interface RefundedElsewhere {
  /** In minor units of the sale's currency. */
  amountMinor: number;
  /** The same amount in each currency in which the sale may be refunded: its own, and the shopper's. */
  inCurrencies: ReadonlyMap<string, number>;
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
  { amountMinor, inCurrencies, importedAt }: RefundedElsewhere,
): Row[] {
  if (amountMinor === 0) return [...refunds];
  let left = amountMinor;
  const isEarlier = (refund: Row) => !refund.failed && (refund.chargeId !== null || refund.occurredAt <= importedAt);
  return refunds
    .toSorted((a, b) => a.occurredAt - b.occurredAt || (a.refundKey < b.refundKey ? -1 : 1))
    .map((refund) => {
      const inItsCurrency = inCurrencies.get(refund.currency) ?? 0;
      if (inItsCurrency === 0 || refund.chargeId === NO_CHARGE) return refund;
      if (refund.kind === 'cumulative') return less(refund, inItsCurrency);
      if (!isEarlier(refund)) return refund;
      const most = multiplyRatio(left, inItsCurrency, amountMinor);
      const taken = Math.min(refund.amount ?? 0, most);
      left = taken === most ? 0 : left - multiplyRatio(taken, amountMinor, inItsCurrency);
      return less(refund, taken);
    });
}

function less<Row extends Refund>(refund: Row, minor: number): Row {
  if (minor === 0) return refund;
  return { ...refund, amount: Math.max(0, (refund.amount ?? 0) - minor), commissionable: null, lines: [] };
}
