import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import type { NamedPayment } from './queries/references.ts';
import { findInvoiceId } from './queries/sales.ts';

/**
 * The payments without those of other invoices than this one. What paid several invoices stays a reference of the payment
 * that it named first, and refunds of it belong to that payment.
 *
 * @param invoiceId absent where the report is not about an invoice; all payments are then returned
 */
export async function withoutOtherInvoices(
  tx: Transaction,
  accountId: AccountId,
  payments: readonly NamedPayment[],
  invoiceId: string | undefined,
): Promise<readonly NamedPayment[]> {
  if (invoiceId === undefined) return payments;
  const kept: NamedPayment[] = [];
  for (const payment of payments) {
    if (payment.knownReferences.includes(invoiceId)) kept.push(payment);
    else if (!isOther(invoiceId, await invoiceIdOf(tx, accountId, payment))) kept.push(payment);
  }
  return kept;
}

/** A payment that is not known to be of an invoice has the id of something else: the ids of invoices begin alike. */
function isOther(invoiceId: string, known: string | null): boolean {
  const prefix = invoiceId.slice(0, invoiceId.indexOf('_') + 1);
  return known !== null && known !== invoiceId && known.startsWith(prefix);
}

async function invoiceIdOf(
  tx: Transaction,
  accountId: AccountId,
  { saleId, parked, awaited }: NamedPayment,
): Promise<string | null> {
  if (saleId !== null) return findInvoiceId(tx, accountId, saleId);
  return parked?.fact.invoiceId ?? awaited?.invoiceId ?? null;
}
