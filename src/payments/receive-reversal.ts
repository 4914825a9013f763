import { claimKeys } from '../app/claims.ts';
import { disputeIdIn } from '../core/dispute-report.ts';
import type { PaymentDisputed } from '../core/facts.ts';
import type { PaymentId, SaleId } from '../core/ids.ts';
import type { FactOutcome } from '../core/outcome.ts';
import type { Transaction } from '../storage/database.ts';
import { attributeMerged, type Joined } from './attribute-merged.ts';
import { mergePayments, requireMergedPayment } from './merge.ts';
import { findDispute, recordDispute, renameDispute } from './queries/disputes.ts';
import { findPayment, type Payment } from './queries/payments.ts';
import { claimPayments } from './queries/references.ts';
import { getReversibleSale, settleReversals } from './reverse-sale.ts';
import type { DeliveryScope, Scope } from './scope.ts';

/** Stores a dispute that was opened, won or lost, and settles the sale. Without a sale, it waits for its payment. */
export async function disputePayment(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentDisputed,
): Promise<FactOutcome> {
  const { accountId, processor, deliveryId, now } = scope;
  const { disputeId, amountMinor: amount, currency, state, occurredAt, earlierId, openedAt = 0 } = fact;
  const named = await attributeMerged(tx, scope, await requireMergedPayment(tx, scope, fact));
  await tx.claim(() => [claimKeys.dispute(accountId, disputeId)]);
  if (earlierId !== undefined) {
    await renameDispute(tx, { accountId, processor, disputeId, amount, openedAt }, earlierId);
  }
  const findStored = () => findDispute(tx, accountId, processor, disputeId);
  const payment = await attributeMerged(tx, scope, await paymentOfReport(tx, scope, named, findStored));
  const storedId = disputeIdIn(currency, disputeId, await findStored());
  const report = { accountId, processor, paymentId: payment.id, deliveryId, currency, occurredAt, createdAt: now };
  const isNew = await recordDispute(tx, { disputeId: storedId, amount, state, ...report });
  return settleReport(tx, scope, payment, isNew ? 'a dispute that waits for its payment' : null);
}

/**
 * Settles a sale whose known refunds were reported again: the report may say more about them, or an earlier version settled
 * them differently. Call it once for all in a delivery, because each settling reads all refunds of the sale.
 */
export function settleKnown(tx: Transaction, scope: DeliveryScope, saleId: SaleId): Promise<FactOutcome> {
  return settleReport(tx, scope, { saleId }, null);
}

/**
 * Settles the sale that a report concerns. `waiting` is the reason to show while the payment is not a sale; null for a
 * known report.
 */
async function settleReport(
  tx: Transaction,
  { accountId, now }: DeliveryScope,
  { saleId }: Pick<Payment, 'saleId'>,
  waiting: string | null,
): Promise<FactOutcome> {
  if (saleId !== null) {
    const changed = await settleReversals(tx, now, await getReversibleSale(tx, accountId, saleId));
    if (changed) return { outcome: 'reversal', reason: null, saleId };
  }
  if (saleId === null && waiting !== null) return { outcome: 'noted', reason: waiting, saleId: null };
  return { outcome: 'duplicate', reason: 'already known', saleId };
}

/**
 * The payment that a report concerns. A refund or dispute belongs to one payment. If an earlier report of it named
 * another payment and one of the two payments is only awaited, both are merged; otherwise it stays with the earlier
 * payment.
 */
export async function paymentOfReport(
  tx: Transaction,
  scope: Scope,
  named: Payment,
  findEarlier: () => Promise<{ paymentId: PaymentId } | undefined>,
): Promise<Joined> {
  const [holder] = await claimPayments(tx, scope.accountId, async () => {
    const earlier = await findEarlier();
    const payment = earlier && (await findPayment(tx, scope.accountId, earlier.paymentId));
    return payment ? [payment] : [];
  });
  if (holder === undefined || holder.id === named.id) return { payment: named, mayBeEarned: false };
  if (holder.state !== 'awaited' && named.state !== 'awaited') return { payment: holder, mayBeEarned: false };
  const mayBeEarned = holder.awaited !== null || named.awaited !== null;
  return { payment: await mergePayments(tx, scope, named, holder), mayBeEarned };
}
