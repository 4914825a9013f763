import type { PaidInvoice } from '../core/facts.ts';
import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
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

async function invoiceIdOf(
  tx: Transaction,
  accountId: AccountId,
  { saleId, parked, awaited }: NamedPayment,
): Promise<string | null> {
  if (saleId !== null) return findInvoiceId(tx, accountId, saleId);
  return parked?.fact.invoiceId ?? awaited?.invoiceId ?? null;
}
