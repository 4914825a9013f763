import type { PaidInvoice } from '../core/facts.ts';
import type { AccountId } from '../core/ids.ts';
import { expiryOfMerged, processorOfMerged, survivorFirst } from '../core/payment.ts';
import { mergeAwaited, mergeReports } from '../core/same-payment.ts';
import { createId } from '../ids.ts';
import { changeOutcome } from '../inbox/outcome.ts';
import type { Transaction } from '../storage/database.ts';
import { adoptCapture } from './adopt-capture.ts';
import { eraseGuestsOfErased } from './erasure/erase.ts';
import { withAwaitedReport, withoutErasedPayer } from './known-report.ts';
import { learnPayer } from './learn-payer.ts';
import { mergeReport, voidDuplicateSale } from './merge-into-sale.ts';
import { learnInvoice, paidInvoiceOf, withoutOtherInvoices } from './other-invoices.ts';
import { updateParkedPayment } from './park.ts';
import {
  insertPayment,
  mergePaymentRows,
  type Payment,
  updateAwaited,
  updateDelivery,
  updateProcessor,
} from './queries/payments.ts';
import { addReferences, claimNamedPayments, type NamedPayment, type PaymentNames } from './queries/references.ts';
import { findReversibleSales, type ReversibleSale } from './queries/reversible-sales.ts';
import { eraseReportsOf } from './record.ts';
import { changeOf, getReversibleSale, settleEarlierReversals } from './reverse-sale.ts';
import type { ProcessorScope, Scope } from './scope.ts';

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
 * a parked one, otherwise the earliest. When two are counted, one of the sales is reversed in full. Adds new references.
 */
export async function findMergedPayment(
  tx: Transaction,
  scope: Scope,
  names: PaymentNames,
): Promise<MergedPayment<Payment | null>> {
  const named = await claimNamedPayments(tx, scope.accountId, names);
  const { payments, references } = await withoutOtherInvoices(tx, scope.accountId, named, names);
  const first = await survivorOf(tx, scope.accountId, payments);
  if (!first) return { payment: null, references, changed: false, mayBeEarned: false };
  const others = payments.filter(({ id }) => id !== first.id).toSorted(survivorFirst);
  let payment: Payment = first;
  for (const other of others) payment = await mergeInto(tx, scope, payment, other);
  const { paidInvoice } = names;
  if (paidInvoice !== undefined && !first.knownReferences.includes(paidInvoice.id)) {
    payment = await learnInvoice(tx, payment, paidInvoice.id);
  }
  const known = new Set(payments.flatMap(({ knownReferences }) => knownReferences));
  const missing = { ...names, references: references.filter((value) => !known.has(value)) };
  const added = await addReferences(tx, scope.accountId, missing, payment.id);
  const mayHelp = ({ awaited, parked }: Payment) => awaited !== null || parked?.fact.onlyPrograms !== undefined;
  const mayBeEarned = others.length > 0 && payments.some(mayHelp);
  return { payment, references, changed: others.length > 0 || added > 0, mayBeEarned };
}

/**
 * The first of the payments, as `survivorFirst` sorts them, but of several sales one of the least rank. Ids do not tell which
 * sale was first to earn: a unit creates the id before it waits for others, and the clocks of processes differ. A rank
 * depends neither on the other sales nor on later reports, so that the same one stays in whichever order they arrive.
 */
async function survivorOf(
  tx: Transaction,
  accountId: AccountId,
  payments: readonly NamedPayment[],
): Promise<NamedPayment | undefined> {
  const sorted = payments.toSorted(survivorFirst);
  const saleIds = sorted.map(({ saleId }) => saleId).filter((saleId) => saleId !== null);
  if (saleIds.length < 2) return sorted[0];
  const sales = await findReversibleSales(tx, accountId, saleIds);
  const ranks = new Map(sales.map((sale) => [sale.id, rankOf(sale)]));
  const least = Math.min(...ranks.values());
  return sorted.find(({ saleId }) => saleId !== null && ranks.get(saleId) === least);
}

/** 0: it may have earned when it was recorded. 1: it earned nothing then because of its time. 2: an import voided it. */
function rankOf({ voidedReason, terms: { refused, wasRefused } }: ReversibleSale): number {
  if (voidedReason !== null) return 2;
  return refused === undefined && !wasRefused ? 0 : 1;
}

/** The references in a report, and which of them is the invoice id, if the report says it. */
interface ReportedNames {
  references: readonly string[];
  invoiceId?: string | null;
  paidInvoice?: PaidInvoice | undefined;
}

/** Like `findMergedPayment`, but creates an awaited payment with these references when none is stored. */
export async function requireMergedPayment(
  tx: Transaction,
  { accountId, processor, now }: ProcessorScope,
  { references, invoiceId = null, paidInvoice }: ReportedNames,
): Promise<MergedPayment> {
  const names = { processor, references, invoiceId, paidInvoice };
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

/** Merges `loser` into `survivor` and returns the updated survivor. */
async function mergeInto(tx: Transaction, scope: Scope, survivor: Payment, loser: Payment): Promise<Payment> {
  await mergePaymentRows(tx, loser, survivor);
  const { saleId, deliveryId, parked, awaited } = loser;
  if (survivor.saleId === null && survivor.deliveryId === null && deliveryId !== null) {
    // the caller's backend parked it, perhaps as another processor's; this is its first delivery, and will show its outcome
    const processor = processorOfMerged(loser, survivor);
    await updateProcessor(tx, survivor.id, processor);
    await updateDelivery(tx, survivor.id, deliveryId);
    return mergeUnsold(tx, scope, { ...survivor, processor, deliveryId }, loser);
  }
  if (saleId === null || survivor.saleId === null) {
    await changeOutcome(tx, { ...scope, deliveryId }, 'duplicate', survivor.saleId);
  }
  if (survivor.saleId === null) return mergeUnsold(tx, scope, survivor, loser);
  const known = await getReversibleSale(tx, scope.accountId, survivor.saleId);
  let sale = known;
  const ofLoser = { ...scope, processor: loser.processor };
  if (saleId !== null) {
    sale = await voidDuplicateSale(tx, scope, sale, { saleId, deliveryId });
    await eraseGuestsOfErased(tx, scope, survivor.id);
  }
  if (parked !== null) sale = await mergeReport(tx, ofLoser, sale, { fact: parked.fact, deliveryId });
  if (awaited !== null) {
    const { announced, captured, customer } = await withoutErasedPayer(tx, ofLoser, awaited);
    if (announced !== null) sale = await mergeReport(tx, ofLoser, sale, { fact: announced, deliveryId: null });
    if (captured !== null) sale = await adoptCapture(tx, scope.now, sale, captured);
    if (customer !== null) await learnPayer(tx, ofLoser, sale, customer);
  }
  await settleEarlierReversals(tx, scope.now, sale, changeOf(known, sale));
  await eraseReportsOf(tx, scope, sale.customerId, [{ sale, stored: loser }]);
  const paidInvoiceId = paidInvoiceOf(loser);
  return paidInvoiceId === null ? survivor : learnInvoice(tx, survivor, paidInvoiceId);
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
