import type { AccountId } from '../core/ids.ts';
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
  { references, paidInvoiceId: invoiceId }: PaymentNames,
): Promise<Named> {
  if (invoiceId === undefined) return { payments, references: [...references] };
  const kept: NamedPayment[] = [];
  for (const payment of payments) {
    if (payment.knownReferences.includes(invoiceId)) kept.push(payment);
    else if (!isOther(invoiceId, await invoiceIdOf(tx, accountId, payment))) kept.push(payment);
  }
  return { payments: kept, references: kept.length === payments.length ? [...references] : [invoiceId] };
}

/** A payment that is not known to be of an invoice has the id of something else: the ids of invoices begin alike. */
function isOther(invoiceId: string, known: string | null): boolean {
  const prefix = invoiceId.slice(0, invoiceId.indexOf('_') + 1);
  return known !== null && known !== invoiceId && known.startsWith(prefix);
}

async function invoiceIdOf(tx: Transaction, accountId: AccountId, payment: NamedPayment): Promise<string | null> {
  const { saleId, parked } = payment;
  const paid = paidInvoiceOf(payment);
  if (paid !== null) return paid;
  return saleId === null ? (parked?.fact.invoiceId ?? null) : findInvoiceId(tx, accountId, saleId);
}

/** The invoice that a payment is known to have paid; null also where that is the id of its report or its sale. */
export function paidInvoiceOf({ paidInvoiceId, parked, awaited }: Payment): string | null {
  return paidInvoiceId ?? parked?.fact.paidInvoiceId ?? awaited?.invoiceId ?? null;
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
