import { failLater } from '../inbox/outcome.ts';
import type { Transaction } from '../storage/database.ts';
import type { Scope } from './customers.ts';
import { deleteDispute, deleteRefund, listDisputes, listRefunds } from './queries/refunds.ts';
import { getReversibleSale } from './queries/sales.ts';
import { CurrencyMismatch, settleReversal } from './reverse-sale.ts';

/**
 * Applies the refunds and disputes that waited for a payment which is a sale now. One in a currency that cannot be
 * converted is taken out and its delivery fails, as it would have if it had come after the sale.
 */
export async function settleWaiting(tx: Transaction, scope: Scope, saleId: string): Promise<void> {
  for (;;) {
    try {
      await settleReversal(tx, scope, saleId);
      return;
    } catch (error) {
      if (!(error instanceof CurrencyMismatch)) throw error;
      await failReportsIn(tx, scope, saleId, error);
    }
  }
}

/** `settleReversal` reads everything before it writes, so that nothing is half-applied here. */
async function failReportsIn(tx: Transaction, scope: Scope, saleId: string, error: CurrencyMismatch): Promise<void> {
  const { accountId, now } = scope;
  const sale = await getReversibleSale(tx, accountId, saleId);
  if (!sale) throw error;
  for (const refund of await listRefunds(tx, sale.paymentId)) {
    if (refund.currency !== error.currency) continue;
    await deleteRefund(tx, accountId, refund.processor, refund.refundKey);
    await failLater(tx, { accountId, deliveryId: refund.deliveryId }, error.message, now);
  }
  for (const dispute of await listDisputes(tx, sale.paymentId)) {
    if (dispute.currency !== error.currency) continue;
    await deleteDispute(tx, accountId, dispute.processor, dispute.disputeId);
    await failLater(tx, { accountId, deliveryId: dispute.deliveryId }, error.message, now);
  }
}
