import type { PaymentAnnounced, PaymentReceived } from '../core/facts.ts';
import type { DeliveryId, SaleId } from '../core/ids.ts';
import { expiryOfMerged, processorOfMerged, survivorFirst } from '../core/payment.ts';
import { captureAnnounced, isWrittenBefore, mergeAwaited, mergeReports } from '../core/same-payment.ts';
import { createId } from '../ids.ts';
import { changeOutcome } from '../inbox/outcome.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import { adoptCapture } from './adopt-capture.ts';
import { withAwaitedReport, withoutErasedPayer } from './known-report.ts';
import { learnPayer } from './learn-payer.ts';
import { moveToEarlier } from './move-sale.ts';
import { learnInvoice, paidInvoiceOf, withoutOtherInvoices } from './other-invoices.ts';
import { updateParkedPayment } from './park.ts';
import { insertPayment, mergePaymentRows, type Payment, updateAwaited, updateDelivery } from './queries/payments.ts';
import { addReferences, claimNamedPayments, type PaymentNames } from './queries/references.ts';
import { type ProcessorAmounts, updateGross } from './queries/sale-amounts.ts';
import { type ReversibleSale, voidSale } from './queries/sales.ts';
import { type ReportedAmounts, replaceAmounts } from './replace-amounts.ts';
import { getReversibleSale, resultOf, settleEarlierReversals, settleReversals } from './reverse-sale.ts';
import { recordSaleEvent } from './sale-events.ts';
import type { ProcessorScope, Scope } from './scope.ts';
import { duplicateOf } from './void-reasons.ts';

export interface MergedPayment<Found = Payment> {
  payment: Found;
  /** The references that name this payment alone, see `withoutOtherInvoices`. */
  references: string[];
  /** True when references were added or several payments were merged. */
  changed: boolean;
  /** True when a parked payment may be earned now: one of the others may name its customer or allow its program. */
  mayBeEarned: boolean;
}

/**
 * The payment that these references name; null when none is stored. Several are merged: a counted one survives, otherwise
 * a parked one, otherwise the earliest. When two are counted, the later sale is reversed in full. Adds new references.
 */
export async function findMergedPayment(
  tx: Transaction,
  scope: Scope,
  names: PaymentNames,
): Promise<MergedPayment<Payment | null>> {
  const named = await claimNamedPayments(tx, scope.accountId, names);
  const { payments, references } = await withoutOtherInvoices(tx, scope.accountId, named, names);
  const [first, ...others] = payments.toSorted(survivorFirst);
  if (!first) return { payment: null, references, changed: false, mayBeEarned: false };
  let payment: Payment = first;
  for (const other of others) payment = await mergeInto(tx, scope, payment, other);
  const { paidInvoiceId } = names;
  if (paidInvoiceId !== undefined && !first.knownReferences.includes(paidInvoiceId)) {
    payment = await learnInvoice(tx, payment, paidInvoiceId);
  }
  const known = new Set(payments.flatMap(({ knownReferences }) => knownReferences));
  const missing = { ...names, references: references.filter((value) => !known.has(value)) };
  const added = await addReferences(tx, scope.accountId, missing, payment.id);
  const mayHelp = ({ awaited, parked }: Payment) => awaited !== null || parked?.fact.onlyPrograms !== undefined;
  const mayBeEarned = others.length > 0 && payments.some(mayHelp);
  return { payment, references, changed: others.length > 0 || added > 0, mayBeEarned };
}

/** Like `findMergedPayment`, but creates an awaited payment with these references when none is stored. */
export async function requireMergedPayment(
  tx: Transaction,
  { accountId, processor, now }: ProcessorScope,
  references: readonly string[],
  paidInvoiceId?: string,
): Promise<MergedPayment> {
  const names = { processor, references, invoiceId: null, paidInvoiceId };
  const { payment: known, ...merged } = await findMergedPayment(tx, { accountId, now }, names);
  if (known !== null) return { payment: known, ...merged };
  const payment: Payment = { id: createId('pmt'), processor, state: 'awaited', ...NOTHING_KNOWN };
  await insertPayment(tx, { ...payment, accountId, occurredAt: null, createdAt: now });
  await addReferences(tx, accountId, { ...names, references: merged.references }, payment.id);
  return { payment, ...merged, changed: true };
}

const NOTHING_KNOWN = {
  saleId: null,
  deliveryId: null,
  parked: null,
  expiresAt: null,
  awaited: null,
  paidInvoiceId: null,
};

/** Merges two payments that turned out to be the same, but not by their references. Returns the survivor. */
export function mergePayments(tx: Transaction, scope: Scope, one: Payment, other: Payment): Promise<Payment> {
  return survivorFirst(one, other) < 0 ? mergeInto(tx, scope, one, other) : mergeInto(tx, scope, other, one);
}

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
  if (merged !== sale) await settleEarlierReversals(tx, scope.now, merged);
}

/** Merges `loser` into `survivor` and returns the updated survivor. */
async function mergeInto(tx: Transaction, scope: Scope, survivor: Payment, loser: Payment): Promise<Payment> {
  await mergePaymentRows(tx, loser, survivor);
  const { saleId, deliveryId, parked, awaited } = loser;
  if (survivor.saleId === null && survivor.deliveryId === null && deliveryId !== null) {
    // the caller's backend parked it, so this is its first delivery, and will show its outcome
    await updateDelivery(tx, survivor.id, deliveryId);
    return mergeUnsold(tx, scope, { ...survivor, deliveryId }, loser);
  }
  if (saleId === null || survivor.saleId === null) {
    await changeOutcome(tx, { ...scope, deliveryId }, 'duplicate', survivor.saleId);
  }
  if (survivor.saleId === null) return mergeUnsold(tx, scope, survivor, loser);
  let sale = await getReversibleSale(tx, scope.accountId, survivor.saleId);
  const ofLoser = { ...scope, processor: loser.processor };
  if (saleId !== null) sale = await voidDuplicateSale(tx, scope, sale, { saleId, deliveryId });
  if (parked !== null) sale = await mergeReport(tx, ofLoser, sale, { fact: parked.fact, deliveryId });
  if (awaited !== null) {
    const { announced, captured, customer } = await withoutErasedPayer(tx, ofLoser, awaited);
    if (announced !== null) sale = await mergeReport(tx, ofLoser, sale, { fact: announced, deliveryId: null });
    if (captured !== null) sale = await adoptCapture(tx, scope.now, sale, captured);
    if (customer !== null) await learnPayer(tx, ofLoser, sale, customer);
  }
  await settleEarlierReversals(tx, scope.now, sale);
  const paidInvoiceId = paidInvoiceOf(loser);
  return paidInvoiceId === null ? survivor : learnInvoice(tx, survivor, paidInvoiceId);
}

/** Reverses the later of two sales of the same payment in full. The other sale adopts the processor's amounts and time. */
async function voidDuplicateSale(
  tx: Transaction,
  { accountId, now }: Scope,
  sale: ReversibleSale,
  { saleId, deliveryId }: { saleId: SaleId; deliveryId: DeliveryId | null },
): Promise<ReversibleSale> {
  const duplicate = await getReversibleSale(tx, accountId, saleId);
  const voidedReason = duplicateOf(sale.id);
  await voidSale(tx, accountId, duplicate.id, voidedReason);
  await settleReversals(tx, now, { ...duplicate, voidedReason });
  // an import may have voided it before, which is when it stopped counting
  if (duplicate.voidedReason === null) {
    await recordSaleEvent(tx, 'sale.refunded', { accountId, saleId: duplicate.id, now });
    countResults(tx, [{ ...resultOf(duplicate), sales: -1, revenue: -duplicate.amount }]);
  }
  const moved = await moveToEarlier(tx, now, sale, duplicate.occurredAt);
  const adopted = await adoptAmounts(tx, moved, duplicate, deliveryId);
  const amounts = amountsForTermsOf(adopted, duplicate);
  return amounts === null ? adopted : replaceAmounts(tx, now, adopted, amounts);
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
  // on a sale reported by the caller, `statedAt` belongs to the processor's total, not to the amount
  const writtenAt = duplicate.terms.isCallersAmount ? null : statedAt;
  const basis = { lines: paidLines ?? undefined, statedAt: writtenAt ?? undefined };
  return { netMinor: amount, grossMinor, currency, presentment, ...basis };
}

/** Adds the loser's data to a survivor that is not a sale. */
async function mergeUnsold(tx: Transaction, scope: Scope, survivor: Payment, loser: Payment): Promise<Payment> {
  if (survivor.parked !== null) return mergeParked(tx, scope, survivor, loser);
  if (loser.awaited === null) return survivor;
  const awaited = survivor.awaited === null ? loser.awaited : mergeAwaited(survivor.awaited, loser.awaited);
  await updateAwaited(tx, survivor.id, awaited);
  return { ...survivor, awaited };
}

/** Adds the loser's report to the parked survivor. */
async function mergeParked(tx: Transaction, scope: Scope, survivor: Payment, loser: Payment): Promise<Payment> {
  if (survivor.parked === null || (loser.parked === null && loser.awaited === null)) return survivor;
  const known = loser.parked === null ? survivor.parked.fact : mergeReports(survivor.parked.fact, loser.parked.fact);
  const ofProcessor = { ...scope, processor: processorOfMerged(loser, survivor) };
  const fact = loser.awaited === null ? known : await withAwaitedReport(tx, ofProcessor, known, loser.awaited);
  const parked = { fact, steps: survivor.parked.steps };
  await updateParkedPayment(tx, ofProcessor, { ...parked, paymentId: survivor.id, identities: null });
  const processor = processorOfMerged(survivor, loser);
  return { ...survivor, processor, parked, expiresAt: expiryOfMerged(survivor, loser) };
}

/** Returns the updated sale. If it changed, the caller settles its reversals. */
async function mergeReport(
  tx: Transaction,
  scope: ProcessorScope,
  stored: ReversibleSale,
  { fact, deliveryId }: LaterReport,
): Promise<ReversibleSale> {
  const { currency, grossMinor, presentment, lines, statedAt } = fact;
  // before the payments that its customer leads to: their commission may depend on when this one was made
  const isPaid = fact.kind === 'payment.received';
  const sale = isPaid ? await moveToEarlier(tx, scope.now, stored, fact.occurredAt) : stored;
  await learnPayer(tx, scope, sale, fact.customer);
  if (fact.kind === 'payment.announced') {
    const paid = captureAnnounced(fact, { ...sale, amountMinor: sale.grossAmount });
    return replaceAmounts(tx, scope.now, sale, paid);
  }
  const amounts = {
    currency,
    grossAmount: grossMinor,
    presentmentAmount: presentment?.grossMinor ?? null,
    presentmentCurrency: presentment?.currency ?? null,
    paidLines: lines ?? null,
    statedAt: statedAt ?? null,
  };
  const adopted = await adoptAmounts(tx, sale, amounts, deliveryId);
  return fact.isBare || fact.order ? adopted : replaceAmounts(tx, scope.now, adopted, fact);
}

/**
 * A processor's report of an API sale determines the amount paid, against which refunds are measured. The report
 * written first wins, or the first to arrive where the time does not matter. The caller's amount stays.
 */
async function adoptAmounts(
  tx: Transaction,
  sale: ReversibleSale,
  { currency, ...reported }: ProcessorAmounts & { currency: string },
  deliveryId: DeliveryId | null,
): Promise<ReversibleSale> {
  const isFirst = sale.isFromApi || (sale.terms.isCallersAmount && isWrittenBefore(reported, sale));
  if (!isFirst || sale.currency !== currency || deliveryId === null) return sale;
  await updateDelivery(tx, sale.paymentId, deliveryId);
  const { grossAmount, presentmentAmount, presentmentCurrency, paidLines, statedAt } = reported;
  const isTotalOnly = presentmentCurrency === null && paidLines === null && statedAt === null;
  if (sale.grossAmount === grossAmount && isTotalOnly) return sale;
  const amounts = { grossAmount, presentmentAmount, presentmentCurrency, paidLines, statedAt };
  // earlier versions did not store that the amount is the caller's, and nothing else shows it from here on
  const adopted = { ...sale, ...amounts, terms: { ...sale.terms, isCallersAmount: true as const }, isFromApi: false };
  await updateGross(tx, adopted, amounts);
  return adopted;
}
