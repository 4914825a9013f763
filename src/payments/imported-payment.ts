import type { AccountId } from '../core/ids.ts';
import type { PaymentProcessor } from '../core/processor.ts';
import type { Transaction } from '../storage/database.ts';
import { mergePayments } from './merge.ts';
import type { Payment } from './queries/payments.ts';
import { claimNamedPayments, claimPaymentsOfAnyProcessor } from './queries/references.ts';
import type { Scope } from './scope.ts';

/** The ids of a payment that another service knows. */
export interface ImportedPayment {
  processor: PaymentProcessor;
  invoiceId: string | null;
  /** Further ids of the payment. Its refunds are found by them. */
  references: readonly string[];
}

/** All ids of the payment. */
export function namesOf({ invoiceId, references }: ImportedPayment): string[] {
  return [...new Set(invoiceId === null ? references : [invoiceId, ...references])];
}

/**
 * Claims any payment that may be this sale. An import without a processor often names a charge that a webhook reported
 * earlier.
 */
export async function claimStoredPayments(
  tx: Transaction,
  accountId: AccountId,
  { processor, invoiceId }: ImportedPayment,
  references: readonly string[],
): Promise<Payment[]> {
  if (references.length === 0) return [];
  if (processor === 'custom') return claimPaymentsOfAnyProcessor(tx, accountId, references);
  return claimNamedPayments(tx, accountId, { processor, references, invoiceId });
}

/**
 * What was stored separately under the sale's ids, such as the report of an invoice and a refund of its charge, is one
 * payment. Processors may use one id for different payments, so that only those of one processor are merged.
 *
 * @param payments at most one of them counted
 */
export async function mergeAll(tx: Transaction, scope: Scope, payments: readonly Payment[]): Promise<Payment | null> {
  let merged: Payment | null = null;
  for (const payment of payments.toSorted((one, other) => orderOf(one) - orderOf(other))) {
    if (merged === null) merged = payment;
    else if (isOfOneProcessor(merged, payment)) merged = await mergePayments(tx, scope, merged, payment);
  }
  return merged;
}

const orderOf = ({ saleId, state }: Payment) => (saleId !== null ? 0 : state === 'parked' ? 1 : 2);

/** Any processor is possible for a payment that was reported or imported without one. */
export function isOfOneProcessor(...payments: readonly Pick<Payment, 'processor'>[]): boolean {
  return new Set(payments.map(({ processor }) => processor).filter((processor) => processor !== 'custom')).size <= 1;
}
