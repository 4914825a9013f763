import type { StoredDispute } from '../core/dispute-report.ts';
import type { SaleId } from '../core/ids.ts';
import { formatMoney, multiplyRatio } from '../core/money.ts';
import { NO_CURRENCY } from '../core/refund-report.ts';
import type { ReportedDispute, ReportedRefund } from '../core/reversal.ts';
import type { DisputeOf } from './queries/disputes.ts';
import type { Refund } from './queries/refunds.ts';
import type { ReversibleSale } from './queries/reversible-sales.ts';

export type DisputeAmount = Omit<DisputeOf, 'paymentId'>;

/** A refund or dispute in neither the sale's currency nor the shopper's. Its amount cannot be added up. */
export class CurrencyMismatch extends Error {
  readonly currency: string;
  readonly saleId: SaleId;

  constructor(currency: string, sale: ReversibleSale) {
    super(`A refund or dispute in ${currency} of sale ${sale.id} in ${sale.currency} cannot be converted`);
    this.name = 'CurrencyMismatch';
    this.currency = currency;
    this.saleId = sale.id;
  }
}

/**
 * Converts stored refunds for `reversalOf`. Refunds booked by versions that converted and rounded each one separately
 * keep that rounding, so that what was taken for them stays. When the shopper got everything back, nothing is rounded.
 * Leaves out those that do not count.
 *
 * @throws CurrencyMismatch
 */
export function reportedRefundsOf(sale: ReversibleSale, refunds: readonly Refund[]): ReportedRefund[] {
  const paidBack = refunds
    .filter(({ kind, failed, currency }) => kind === 'refund' && !failed && currency === sale.presentmentCurrency)
    .reduce((sum, { amount }) => sum + (amount ?? 0), 0);
  const isAll = sale.presentmentAmount !== null && paidBack >= sale.presentmentAmount;
  const counted = refunds.filter((refund) => !isUncounted(sale, refund));
  return counted.map((refund) => {
    const reported = reportedRefundOf(sale, refund);
    return reported.isPresented && refund.lines === null && !isAll ? rounded(sale, refund, reported) : reported;
  });
}

/**
 * True for a refund in a currency that cannot be converted, if only the caller reported it: unlike a webhook, it has no
 * delivery that could fail visibly, so it stays stored.
 */
function isUncounted(sale: ReversibleSale, { deliveryId, currency }: Refund): boolean {
  return deliveryId === null && currencyIn(sale, currency) === null;
}

/** The notes of the refunds that do not count, and what to do about them. */
export function notesOfUncounted(sale: ReversibleSale, refunds: readonly Refund[]): string[] {
  return refunds
    .filter((refund) => isUncounted(sale, refund) && !refund.failed)
    .map(({ refundKey, amount, currency }) => {
      const refund = `refund ${JSON.stringify(refundKey)} of ${formatMoney(amount ?? 0, currency)}`;
      const own = sale.currency.toUpperCase();
      return `${refund} does not count, because the sale is in ${own}: report it in ${own} under another id`;
    });
}

function reportedRefundOf(sale: ReversibleSale, refund: Refund): ReportedRefund {
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
    isEarlier: occurredAt <= sale.createdAt && !(failed && (failedAt ?? occurredAt) <= sale.createdAt),
  };
}

function rounded(sale: ReversibleSale, { currency }: Refund, reported: ReportedRefund): ReportedRefund {
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
export function reportedDisputeOf(
  sale: ReversibleSale,
  { amount, currency, ...report }: DisputeAmount,
): ReportedDispute & StoredDispute {
  return { ...report, amountMinor: inSaleCurrency(amount, currency, sale) };
}

/** Converts an amount in the shopper's currency by its share of the presentment total. */
function inSaleCurrency(amountMinor: number, currency: string, sale: ReversibleSale): number {
  if (requireCurrency(sale, currency) === 'own') return amountMinor;
  const presented = presentedMinorOf(sale) ?? 1;
  return multiplyRatio(Math.min(amountMinor, presented), sale.grossAmount, presented);
}

/** @throws CurrencyMismatch */
function requireCurrency(sale: ReversibleSale, currency: string): 'own' | 'presented' {
  const known = currencyIn(sale, currency);
  if (known === null) throw new CurrencyMismatch(currency, sale);
  return known;
}

/** Whether it is the sale's currency or the shopper's; null when it is neither. */
function currencyIn(sale: ReversibleSale, currency: string): 'own' | 'presented' | null {
  if (currency === sale.currency || currency === NO_CURRENCY) return 'own';
  return currency === sale.presentmentCurrency && presentedMinorOf(sale) !== null ? 'presented' : null;
}

/** The gross in the shopper's currency; null when it is unknown or the same as the sale's currency. */
export function presentedMinorOf({ presentmentAmount, presentmentCurrency, currency }: ReversibleSale): number | null {
  return presentmentCurrency === currency ? null : presentmentAmount || null;
}
