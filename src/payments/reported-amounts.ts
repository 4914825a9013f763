import { multiplyRatio } from '../core/money.ts';
import type { ReportedDispute, ReportedRefund } from '../core/reversal.ts';
import type { DisputeOf, RefundOf } from './queries/refunds.ts';
import type { ReversibleSale } from './queries/sales.ts';

export type RefundAmount = Omit<RefundOf, 'paymentId'>;
export type DisputeAmount = Omit<DisputeOf, 'paymentId'>;

/** A refund or dispute in neither the sale's currency nor the shopper's, which cannot be added up. */
export class CurrencyMismatch extends Error {
  readonly currency: string;

  constructor(currency: string, sale: ReversibleSale) {
    super(`A refund or dispute in ${currency} of sale ${sale.id} in ${sale.currency} cannot be converted`);
    this.name = 'CurrencyMismatch';
    this.currency = currency;
  }
}

/**
 * Refunds that were booked while each was converted and rounded by itself still are: what was taken for them stays. When
 * the shopper got everything back, nothing is rounded.
 *
 * @throws CurrencyMismatch
 */
export function reportedRefundsOf(sale: ReversibleSale, refunds: readonly RefundAmount[]): ReportedRefund[] {
  const paidBack = refunds
    .filter(({ kind, failed, currency }) => kind === 'refund' && !failed && currency === sale.presentmentCurrency)
    .reduce((sum, { amount }) => sum + (amount ?? 0), 0);
  const isAll = sale.presentmentAmount !== null && paidBack >= sale.presentmentAmount;
  return refunds.map((refund) => {
    const reported = reportedRefundOf(sale, refund);
    return reported.isPresented && refund.lines === null && !isAll ? rounded(sale, refund, reported) : reported;
  });
}

function reportedRefundOf(sale: ReversibleSale, refund: RefundAmount): ReportedRefund {
  const { refundKey, kind, chargeId, released, amount, commissionable, lines, currency, failed } = refund;
  const { failedAt, refundedAt, occurredAt } = refund;
  return {
    refundKey,
    kind,
    chargeId,
    releasedMinor: released,
    amountMinor: amount,
    commissionableMinor: commissionable,
    lines: lines ?? [],
    isPresented: requireCurrency(sale, currency) === 'presented',
    reportedAt: (failed ? failedAt : refundedAt) ?? occurredAt,
    failed,
  };
}

function rounded(sale: ReversibleSale, { currency }: RefundAmount, reported: ReportedRefund): ReportedRefund {
  const { amountMinor, commissionableMinor } = reported;
  const convert = (amount: number | null) => (amount === null ? null : inSaleCurrency(amount, currency, sale));
  return {
    ...reported,
    amountMinor: convert(amountMinor),
    commissionableMinor: convert(commissionableMinor),
    isPresented: false,
  };
}

/** @throws CurrencyMismatch */
export function reportedDisputeOf(sale: ReversibleSale, { amount, currency, state }: DisputeAmount): ReportedDispute {
  return { amountMinor: inSaleCurrency(amount, currency, sale), state };
}

/** Converts an amount in the shopper's currency by its share of the presentment total. */
function inSaleCurrency(amountMinor: number, currency: string, sale: ReversibleSale): number {
  if (requireCurrency(sale, currency) === 'own') return amountMinor;
  const presented = presentedMinorOf(sale) ?? 1;
  return multiplyRatio(Math.min(amountMinor, presented), sale.grossAmount, presented);
}

/** @throws CurrencyMismatch */
function requireCurrency(sale: ReversibleSale, currency: string): 'own' | 'presented' {
  if (currency === sale.currency) return 'own';
  if (currency === sale.presentmentCurrency && presentedMinorOf(sale) !== null) return 'presented';
  throw new CurrencyMismatch(currency, sale);
}

/** The gross in the shopper's currency; null when that is the sale's, or unknown. */
export function presentedMinorOf({ presentmentAmount, presentmentCurrency, currency }: ReversibleSale): number | null {
  return presentmentCurrency === currency ? null : presentmentAmount || null;
}
