import type { Transaction } from '../storage/database.ts';
import { markFailed } from './queries/parked-hints.ts';
import type { Payment } from './queries/payments.ts';
import { findSoldInvoices, type NewSale } from './queries/sales.ts';
import {
  eraseReportsOf,
  type LearnedBuyer,
  recordWithoutErasing,
  type SellablePayment,
  type SoldPayment,
} from './record.ts';
import type { Scope } from './scope.ts';

/** A parked payment whose partner and customer are known now. */
export interface EarnedPayment extends SellablePayment {
  stored: Payment;
  learned: LearnedBuyer;
}

/**
 * `recordPayment` for parked payments, in this order. One whose invoice has a sale would fail the others: it stays parked, and
 * `doctor` names it. What their reports said about an erased customer is erased once.
 */
export async function recordParkedPayments(
  tx: Transaction,
  scope: Scope,
  payments: readonly EarnedPayment[],
): Promise<NewSale[]> {
  const invoiceIds = payments.map(({ purchase }) => purchase.invoiceId).filter((id) => id !== null);
  const taken: Set<string | null> = await findSoldInvoices(tx, scope.accountId, invoiceIds);
  const sold: (SoldPayment & { sale: NewSale })[] = [];
  for (const payment of payments) {
    const { stored, purchase, learned } = payment;
    if (taken.has(purchase.invoiceId)) {
      await markFailed(tx, scope.accountId, stored.id);
      continue;
    }
    const sale = await recordWithoutErasing(tx, scope, payment, learned.reportedEmail);
    sold.push({ sale, stored });
    if (purchase.invoiceId !== null) taken.add(purchase.invoiceId);
  }
  for (const [customerId, ofCustomer] of Map.groupBy(sold, ({ sale }) => sale.customerId)) {
    await eraseReportsOf(tx, scope, customerId, ofCustomer);
  }
  return sold.map(({ sale }) => sale);
}
