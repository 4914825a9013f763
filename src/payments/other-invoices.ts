import type { PaidInvoice } from '../core/facts.ts';
import type { AccountId } from '../core/ids.ts';
import { paidInvoiceIdOf } from '../core/same-payment.ts';
import type { Transaction } from '../storage/database.ts';
import { type Payment, updatePaidInvoice, updateParked } from './queries/payments.ts';
import type { NamedPayment, PaymentNames } from './queries/references.ts';
import { findInvoiceId } from './queries/sales.ts';

/** The payments that a report's references name, and the references that are theirs alone. */
interface Named {
  payments: readonly NamedPayment[];
  references: string[];
}

/**
 * Leaves out the payments of other invoices than the report's. What paid several invoices stays a reference of the payment
 * that it named first, with all its other ids, and refunds of it belong to that payment.
 */
export async function withoutOtherInvoices(
  tx: Transaction,
  accountId: AccountId,
  payments: readonly NamedPayment[],
  { references, paidInvoice }: PaymentNames,
): Promise<Named> {
  if (paidInvoice === undefined) return { payments, references: [...references] };
  const kept: NamedPayment[] = [];
  for (const payment of payments) {
    if (payment.knownReferences.includes(paidInvoice.id)) kept.push(payment);
    else if (!isOther(paidInvoice, await invoiceIdOf(tx, accountId, payment))) kept.push(payment);
  }
  return { payments: kept, references: kept.length === payments.length ? [...references] : [paidInvoice.id] };
}

/** The id by which a payment is known may be that of what paid, or the caller's own. */
function isOther({ id, idPrefix }: PaidInvoice, known: string | null): boolean {
  return known !== null && known !== id && known.startsWith(idPrefix);
}

async function invoiceIdOf(tx: Transaction, accountId: AccountId, payment: NamedPayment): Promise<string | null> {
  const { saleId, parked } = payment;
  const paid = paidInvoiceOf(payment);
  if (paid !== null) return paid;
  return saleId === null ? (parked?.fact.invoiceId ?? null) : findInvoiceId(tx, accountId, saleId);
}

/** The invoice that a payment is known to have paid; null also where that is the id of its report or its sale. */
export function paidInvoiceOf({ paidInvoiceId, parked, awaited }: Payment): string | null {
  const ofReport = parked === null ? undefined : paidInvoiceIdOf(parked.fact);
  return paidInvoiceId ?? ofReport ?? awaited?.invoiceId ?? null;
}

/**
 * Stores which invoice a payment has paid that is known by another id: a payment intent that was counted, or parked, before
 * its invoice. An awaited payment keeps it with what else is known.
 */
export async function learnInvoice(tx: Transaction, payment: Payment, invoiceId: string): Promise<Payment> {
  const { id, saleId, parked } = payment;
  if (paidInvoiceOf(payment) !== null) return payment;
  if (saleId !== null) {
    await updatePaidInvoice(tx, id, invoiceId);
    return { ...payment, paidInvoiceId: invoiceId };
  }
  if (parked === null) return payment;
  const known = { ...parked, fact: { ...parked.fact, paidInvoiceId: invoiceId } };
  await updateParked(tx, id, known);
  return { ...payment, parked: known };
}
