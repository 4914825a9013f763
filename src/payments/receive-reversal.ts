import { claimKeys } from '../app/claims.ts';
import type { PaymentDisputed, PaymentReferenced, PaymentRefunded, PaymentRefundUndone } from '../core/facts.ts';
import type { Transaction } from '../storage/database.ts';
import { claimPayments, joinTwo, requireJoinedPayment } from './join-payments.ts';
import { getPayment, type PaymentRow } from './queries/payments.ts';
import { findDispute, findRefund, recordDispute, recordRefund } from './queries/refunds.ts';
import type { DeliveryScope, FactOutcome } from './receive-payment.ts';
import { settleReversal } from './reverse-sale.ts';

/** References turned out to name one payment: remembered, also before the payment itself arrives. */
export async function referencePayment(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentReferenced,
): Promise<FactOutcome> {
  const { changed } = await requireJoinedPayment(tx, scope, namesOf(scope, fact.references));
  return changed
    ? { outcome: 'noted', reason: `joined ${fact.references.join(', ')}`, saleId: null }
    : { outcome: 'duplicate', reason: 'these references are joined already', saleId: null };
}

/** Money went back, or was said to have: stored as reported; the sale follows if it is there, else it waits. */
export async function refundPayment(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentRefunded | PaymentRefundUndone,
): Promise<FactOutcome> {
  const named = await paymentOf(tx, scope, fact.references);
  const report =
    fact.kind === 'payment.refund_undone'
      ? { refundKey: fact.refundId, kind: 'refund' as const, amount: fact.amountMinor, failed: 1 }
      : 'refundId' in fact.refund
        ? { refundKey: fact.refund.refundId, kind: 'refund' as const, amount: fact.refund.amountMinor, failed: 0 }
        : {
            // a reference of its own stays, whatever payment it is found to name
            refundKey: `cumulative ${fact.references[0] ?? named.id} ${fact.refund.cumulativeAmountMinor}`,
            kind: 'cumulative' as const,
            amount: fact.refund.cumulativeAmountMinor,
            failed: 0,
          };
  const { accountId, processor } = scope;
  await tx.claim(() => [claimKeys.refund(accountId, report.refundKey)]);
  const payment = await paymentToldOf(tx, scope, named, () => findRefund(tx, accountId, processor, report.refundKey));
  const isNew = await recordRefund(tx, {
    ...report,
    accountId,
    processor,
    paymentId: payment.id,
    currency: fact.currency,
    deliveryId: scope.deliveryId,
    occurredAt: fact.occurredAt,
    createdAt: scope.now,
  });
  return settle(tx, scope, payment.saleId, isNew, 'a refund that waits for its payment');
}

/** A dispute was opened, won or lost. */
export async function disputePayment(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentDisputed,
): Promise<FactOutcome> {
  const { accountId, processor } = scope;
  const { disputeId } = fact;
  const named = await paymentOf(tx, scope, fact.references);
  await tx.claim(() => [claimKeys.dispute(accountId, disputeId)]);
  const payment = await paymentToldOf(tx, scope, named, () => findDispute(tx, accountId, processor, disputeId));
  const isNew = await recordDispute(tx, {
    accountId,
    processor,
    disputeId,
    paymentId: payment.id,
    amount: fact.amountMinor,
    currency: fact.currency,
    state: fact.state,
    deliveryId: scope.deliveryId,
    occurredAt: fact.occurredAt,
    createdAt: scope.now,
  });
  return settle(tx, scope, payment.saleId, isNew, 'a dispute that waits for its payment');
}

async function settle(
  tx: Transaction,
  scope: DeliveryScope,
  saleId: string | null,
  isNew: boolean,
  waiting: string,
): Promise<FactOutcome> {
  if (saleId !== null && (await settleReversal(tx, scope, saleId))) {
    return { outcome: 'reversal', reason: null, saleId };
  }
  if (saleId === null && isNew) return { outcome: 'noted', reason: waiting, saleId: null };
  return { outcome: 'duplicate', reason: 'known already', saleId };
}

/**
 * The payment that a report hangs on. One refund or dispute is of one payment: where an earlier report of it named
 * another, and nothing but such reports is known of either, both are one. Else it stays where it was.
 */
async function paymentToldOf(
  tx: Transaction,
  scope: DeliveryScope,
  named: PaymentRow,
  findEarlier: () => Promise<{ paymentId: string } | undefined>,
): Promise<PaymentRow> {
  const [holder] = await claimPayments(tx, async () => {
    const earlier = await findEarlier();
    const payment = earlier && (await getPayment(tx, scope.accountId, earlier.paymentId));
    return payment ? [payment] : [];
  });
  if (holder === undefined || holder.id === named.id) return named;
  if (holder.state !== 'awaited' && named.state !== 'awaited') return holder;
  return joinTwo(tx, scope, named, holder);
}

async function paymentOf(tx: Transaction, scope: DeliveryScope, references: readonly string[]) {
  return (await requireJoinedPayment(tx, scope, namesOf(scope, references))).payment;
}

function namesOf(scope: DeliveryScope, references: readonly string[]) {
  return { processor: scope.processor, references, invoiceId: null };
}
