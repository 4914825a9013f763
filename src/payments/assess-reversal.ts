import { distinctDisputes } from '../core/dispute-report.ts';
import type { AccountId, SaleId } from '../core/ids.ts';
import { formatMoney } from '../core/money.ts';
import { distinctRefunds } from '../core/refund-report.ts';
import {
  type ReportedDispute,
  type ReportedRefund,
  type Reversal,
  type Reversible,
  reversalOf,
} from '../core/reversal.ts';
import type { Transaction } from '../storage/database.ts';
import { findDisputesOf } from './queries/disputes.ts';
import { findRefundsOf, type Refund } from './queries/refunds.ts';
import { findReversibleSales, type ReversibleSale } from './queries/reversible-sales.ts';
import {
  CurrencyMismatch,
  type DisputeAmount,
  presentedMinorOf,
  reportedDisputeOf,
  reportedRefundsOf,
} from './reported-amounts.ts';

/** The combined effect of a sale's refunds and disputes. */
export interface AssessedReversal {
  reversal: Reversal;
  disputedOpen: boolean;
}

/**
 * Computes the reversals of many sales in a few queries. The result is keyed by sale id and omits missing sales. A sale
 * with a refund or dispute that cannot be converted has the error, so that the others are assessed all the same.
 */
export async function assessSales(
  tx: Transaction,
  accountId: AccountId,
  saleIds: readonly SaleId[],
): Promise<Map<SaleId, AssessedReversal | CurrencyMismatch>> {
  const sales = await findReversibleSales(tx, accountId, saleIds);
  const paymentIds = sales.map(({ paymentId }) => paymentId);
  const refunds = Map.groupBy(await findRefundsOf(tx, paymentIds), ({ paymentId }) => paymentId);
  const disputes = Map.groupBy(await findDisputesOf(tx, paymentIds), ({ paymentId }) => paymentId);
  return new Map(
    sales.map((sale) => [
      sale.id,
      orMismatch(() => {
        const reported = distinctRefunds(refunds.get(sale.paymentId) ?? []);
        return assessReports(sale, reported, disputes.get(sale.paymentId) ?? []);
      }),
    ]),
  );
}

function orMismatch<T>(work: () => T): T | CurrencyMismatch {
  try {
    return work();
  } catch (error) {
    if (error instanceof CurrencyMismatch) return error;
    throw error;
  }
}

/**
 * Computes the reversal from all refunds of a sale, each once, and all disputes. A voided sale counts neither: it is
 * reversed in full.
 *
 * @throws CurrencyMismatch
 */
export function assessReports(
  sale: ReversibleSale,
  refunds: readonly Refund[],
  disputes: readonly DisputeAmount[],
): AssessedReversal {
  const reportedRefunds = countedRefundsOf(sale, refunds);
  const reportedDisputes = countedDisputesOf(sale, disputes);
  return {
    reversal: reversalOf(reversibleOf(sale), reportedRefunds, reportedDisputes),
    disputedOpen: isDisputed(reportedDisputes),
  };
}

/**
 * The refunds of a sale, each once, as they count.
 *
 * @throws CurrencyMismatch
 */
export function countedRefundsOf(sale: ReversibleSale, refunds: readonly Refund[]): ReportedRefund[] {
  return isVoided(sale) ? [] : reportedRefundsOf(sale, refunds);
}

/** @throws CurrencyMismatch */
export function countedDisputesOf(sale: ReversibleSale, disputes: readonly DisputeAmount[]): ReportedDispute[] {
  return isVoided(sale) ? [] : distinctDisputes(disputes.map((row) => reportedDisputeOf(sale, row)));
}

export function isDisputed(disputes: readonly ReportedDispute[]): boolean {
  return disputes.some(({ state }) => state === 'open');
}

function isVoided({ voidedReason }: ReversibleSale): boolean {
  return voidedReason !== null;
}

export function reversibleOf(sale: ReversibleSale): Reversible {
  const { grossAmount, amount, terms } = sale;
  return {
    grossMinor: grossAmount,
    // the amount is what is left
    refundedElsewhereMinor: Math.min(terms.refundedElsewhere ?? 0, Math.max(0, grossAmount - amount)),
    amountMinor: amount,
    amountBasis: terms.amountBasis,
    commissionMinor: sale.commissionAmount,
    presentedMinor: presentedMinorOf(sale),
    paidLines: sale.paidLines,
    voided: isVoided(sale) || sale.review === 'rejected',
  };
}

/** The note of a reversal: why the sale is reversed in full, or that more was reported than paid; otherwise null. */
export function noteOf(sale: ReversibleSale, { reportedMinor }: Reversal): string | null {
  if (sale.voidedReason !== null) return sale.voidedReason;
  if (sale.review === 'rejected') return 'a self-referral, rejected';
  if (reportedMinor <= sale.grossAmount) return null;
  const [reported, paid] = [reportedMinor, sale.grossAmount].map((amount) => formatMoney(amount, sale.currency));
  return `refunds and lost disputes of ${reported} were reported, more than the ${paid} paid: counted as ${paid}`;
}
