import type { PaymentAnnounced, PaymentReceived } from '../core/facts.ts';
import type { DeliveryId, SaleId } from '../core/ids.ts';
import { paymentIn } from '../core/presentment.ts';
import { captureAnnounced, isTotalReported, isWrittenBefore } from '../core/same-payment.ts';
import type { Transaction } from '../storage/database.ts';
import { adoptCapture, isGrossReported } from './adopt-capture.ts';
import { learnPayer } from './learn-payer.ts';
import { moveToEarlier } from './move-sale.ts';
import { updateDelivery } from './queries/payments.ts';
import type { ReversibleSale } from './queries/reversible-sales.ts';
import { type ProcessorAmounts, updateGross } from './queries/sale-amounts.ts';
import { type ReportedAmounts, replaceAmounts } from './replace-amounts.ts';
import { presentedMinorOf } from './reported-amounts.ts';
import { changeOf, getReversibleSale, settleEarlierReversals } from './reverse-sale.ts';
import type { ProcessorScope, Scope } from './scope.ts';
import { duplicateOf, voidSale } from './void-sale.ts';

/** What a delivery reports about a payment that is already a sale. */
export interface LaterReport {
  fact: PaymentReceived | PaymentAnnounced;
  /** The delivery that reports the money as paid, or null. */
  deliveryId: DeliveryId | null;
}

/**
 * Merges a delivery's report into the existing sale of the payment. Assigns the identities in the report to the sale's
 * customer. Of the processor's reports, the one written first determines the amount paid.
 */
export async function mergeIntoSale(
  tx: Transaction,
  scope: ProcessorScope,
  saleId: SaleId,
  report: LaterReport,
): Promise<void> {
  const sale = await getReversibleSale(tx, scope.accountId, saleId);
  const merged = await mergeReport(tx, scope, sale, report);
  if (merged !== sale) await settleEarlierReversals(tx, scope.now, merged, changeOf(sale, merged));
}

/** Like `mergeIntoSale`, but returns the updated sale. If it changed, the caller settles its reversals. */
export async function mergeReport(
  tx: Transaction,
  scope: ProcessorScope,
  stored: ReversibleSale,
  { fact, deliveryId }: LaterReport,
): Promise<ReversibleSale> {
  // before the payments that its customer leads to: their commission may depend on when this one was made
  const isPaid = fact.kind === 'payment.received';
  const sale = isPaid ? await moveToEarlier(tx, scope.now, stored, fact.occurredAt) : stored;
  await learnPayer(tx, scope, sale, fact.customer);
  if (fact.kind === 'payment.announced') {
    const paid = captureAnnounced(fact, { ...sale, amountMinor: sale.grossAmount });
    return replaceAmounts(tx, scope.now, sale, paid);
  }
  if (!isTotalReported(fact)) return sale;
  const { currency, grossMinor, presentment, lines, statedAt } = paymentIn(sale.currency, fact);
  // no delivery reports what the caller's backend parked, but its money may have been captured
  if (deliveryId === null && fact.order) {
    return adoptCapture(tx, scope.now, sale, { amountMinor: grossMinor, currency, occurredAt: fact.occurredAt });
  }
  const amounts = {
    currency,
    grossAmount: grossMinor,
    presentmentAmount: presentment?.grossMinor ?? null,
    presentmentCurrency: presentment?.currency ?? null,
    paidLines: lines ?? null,
    statedAt: statedAt ?? null,
    isBare: fact.isBare ?? false,
  };
  const adopted = await adoptAmounts(tx, sale, amounts, deliveryId);
  return fact.isBare || fact.order ? adopted : replaceAmounts(tx, scope.now, adopted, fact);
}

/** Reverses one of two sales of the same payment in full. The other sale adopts the processor's amounts and time. */
export async function voidDuplicateSale(
  tx: Transaction,
  { accountId, now }: Scope,
  sale: ReversibleSale,
  { saleId, deliveryId }: { saleId: SaleId; deliveryId: DeliveryId | null },
): Promise<ReversibleSale> {
  const duplicate = await getReversibleSale(tx, accountId, saleId);
  await voidSale(tx, now, duplicate, duplicateOf(sale.id));
  const { occurredAt, grossAmount: amountMinor, currency, isFromApi } = duplicate;
  const isCallers = isFromApi || duplicate.terms.isCallersAmount;
  if (isCallers && !isGrossReported(duplicate)) return moveToEarlier(tx, now, sale, occurredAt);
  const moved = isFromApi
    ? await adoptCapture(tx, now, sale, { amountMinor, currency, occurredAt })
    : await moveToEarlier(tx, now, sale, occurredAt);
  const adopted = await adoptAmounts(tx, moved, totalIn(sale.currency, duplicate), deliveryId);
  const amounts = amountsForTermsOf(adopted, duplicate);
  return amounts === null ? adopted : replaceAmounts(tx, now, adopted, amounts);
}

/** The sale with its total in `currency` if that is the shopper's; otherwise unchanged. See `paymentIn`. */
function totalIn(currency: string, sale: ReversibleSale): ReversibleSale {
  const presentedMinor = presentedMinorOf(sale);
  if (presentedMinor === null || sale.presentmentCurrency !== currency) return sale;
  const presentment = { presentmentAmount: sale.grossAmount, presentmentCurrency: sale.currency };
  return { ...sale, currency, grossAmount: presentedMinor, ...presentment };
}

/**
 * The duplicate's amounts, if they may replace the sale's: stated by a processor, complete, and on the sale's basis.
 */
function amountsForTermsOf(sale: ReversibleSale, duplicate: ReversibleSale): ReportedAmounts | null {
  const { amount, grossAmount: grossMinor, currency, presentmentAmount, presentmentCurrency } = duplicate;
  const { paidLines, statedAt } = duplicate;
  const isKnown = sale.terms.amountBasis === 'gross' || duplicate.terms.amountBasis === 'net';
  if (duplicate.isBare || duplicate.isFromApi || !isKnown) return null;
  const isPresented = presentmentAmount !== null && presentmentCurrency !== null;
  const presentment = isPresented ? { currency: presentmentCurrency, grossMinor: presentmentAmount } : null;
  // on the net basis, the amount is the caller's, and `statedAt` only the time of the processor's total
  const isUndated = duplicate.terms.isCallersAmount && sale.terms.amountBasis === 'net';
  const writtenAt = isUndated ? null : statedAt;
  const basis = { lines: paidLines ?? undefined, statedAt: writtenAt ?? undefined };
  return { netMinor: amount, grossMinor, currency, presentment, ...basis };
}

/**
 * A processor's report of an API sale determines the amount paid, against which refunds are measured. A complete report
 * wins over a bare one; otherwise the one written first does, or the first to arrive where the time does not matter. The
 * caller's amount stays.
 */
async function adoptAmounts(
  tx: Transaction,
  sale: ReversibleSale,
  { currency, ...reported }: ProcessorAmounts & { currency: string },
  deliveryId: DeliveryId | null,
): Promise<ReversibleSale> {
  const { isCallersAmount } = sale.terms;
  const isBetter = isWrittenBefore(reported, sale) || (sale.isBare && !reported.isBare);
  // a delivery may have reported a total in another currency only
  const isAdopted = sale.isFromApi || (isCallersAmount && (isBetter || !isGrossReported(sale)));
  if (!isAdopted || sale.currency !== currency || deliveryId === null) return sale;
  await updateDelivery(tx, sale.paymentId, deliveryId);
  const { grossAmount, presentmentAmount, presentmentCurrency, paidLines, statedAt, isBare } = reported;
  const amounts = { grossAmount, presentmentAmount, presentmentCurrency, paidLines, statedAt, isBare };
  // earlier versions did not store that the amount is the caller's, and nothing else shows it from here on
  const marks = { isCallersAmount: true, isGrossReported: true } as const;
  const adopted = { ...sale, ...amounts, terms: { ...sale.terms, ...marks }, isFromApi: false };
  await updateGross(tx, adopted, amounts);
  return adopted;
}
