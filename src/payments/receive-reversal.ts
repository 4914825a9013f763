import { claimKeys } from '../app/claims.ts';
import type { PaymentDisputed, PaymentRefunded, PaymentRefundUndone } from '../core/facts.ts';
import type { AccountId, PaymentId, SaleId } from '../core/ids.ts';
import type { FactOutcome } from '../core/outcome.ts';
import { NO_CURRENCY } from '../core/refund-report.ts';
import type { Transaction } from '../storage/database.ts';
import { mergePayments, requireMergedPayment } from './merge.ts';
import { findDispute, recordDispute, renameDispute } from './queries/disputes.ts';
import { findPayment, type Payment } from './queries/payments.ts';
import { claimPayments } from './queries/references.ts';
import { findRefund, recordRefund } from './queries/refunds.ts';
import { getReversibleSale, settleReversals } from './reverse-sale.ts';
import type { DeliveryScope, Scope } from './scope.ts';

/** A known refund of a sale that is not settled yet: see `settleKnown`. */
export interface KnownRefund {
  unsettled: SaleId;
}

/**
 * Stores a refund or its failure, and settles the sale, unless the refund is known. Without a sale, the report waits for its
 * payment.
 */
export async function refundPayment(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentRefunded | PaymentRefundUndone,
): Promise<FactOutcome | KnownRefund> {
  const { accountId, processor, deliveryId, now } = scope;
  const { occurredAt: reportedAt, madeAt: occurredAt = reportedAt } = fact;
  const currency = fact.currency ?? NO_CURRENCY;
  const { payment: named } = await requireMergedPayment(tx, scope, fact);
  const refund = refundIn(fact, named);
  const { refundKey } = refund;
  await tx.claim(() => [claimKeys.refund(accountId, refundKey)]);
  const payment = await paymentOfReport(tx, scope, named, () => findRefund(tx, accountId, processor, refundKey));
  const report = { accountId, processor, paymentId: payment.id, deliveryId, currency, occurredAt, createdAt: now };
  const isNew = await recordRefund(tx, { ...refund, ...report });
  if (!isNew && payment.saleId !== null) return { unsettled: payment.saleId };
  const settled = await settleReport(tx, scope, payment, isNew ? 'a refund that waits for its payment' : null);
  if (isNew && refund.kind === 'cumulative' && refund.amount === 0 && settled.outcome !== 'reversal') {
    return { ...settled, outcome: 'noted', reason: null };
  }
  // a failure does not always tell when its refund was made
  const madeAt = fact.kind === 'payment.refund_undone' ? 0 : occurredAt;
  if (isNew && settled.outcome === 'duplicate' && (await wasLoweredBefore(tx, accountId, payment, madeAt))) {
    return { ...settled, outcome: 'noted', reason: LOWERED_BEFORE };
  }
  if (!isNew || settled.outcome !== 'duplicate' || refund.lines.length === 0) return settled;
  return { ...settled, outcome: 'noted', reason: TAKES_NOTHING };
}

const TAKES_NOTHING = 'reverses nothing: what it returned was added after the payment, or was already reversed';

const LOWERED_BEFORE =
  'changes nothing: the sale was imported without what had been refunded before; if such a refund fails, add an adjustment';

/** True when the sale was imported without what had been refunded, and this may be of it. */
async function wasLoweredBefore(
  tx: Transaction,
  accountId: AccountId,
  { saleId }: Payment,
  madeAt: number,
): Promise<boolean> {
  if (saleId === null) return false;
  const { terms, createdAt } = await getReversibleSale(tx, accountId, saleId);
  return terms.refundedElsewhere !== undefined && madeAt <= createdAt;
}

/** Stores a dispute that was opened, won or lost, and settles the sale. Without a sale, it waits for its payment. */
export async function disputePayment(
  tx: Transaction,
  scope: DeliveryScope,
  fact: PaymentDisputed,
): Promise<FactOutcome> {
  const { accountId, processor, deliveryId, now } = scope;
  const { disputeId, amountMinor: amount, currency, state, occurredAt, earlierId, openedAt = 0 } = fact;
  const { payment: named } = await requireMergedPayment(tx, scope, fact);
  await tx.claim(() => [claimKeys.dispute(accountId, disputeId)]);
  if (earlierId !== undefined) {
    await renameDispute(tx, { accountId, processor, disputeId, amount, openedAt }, earlierId);
  }
  const payment = await paymentOfReport(tx, scope, named, () => findDispute(tx, accountId, processor, disputeId));
  const report = { accountId, processor, paymentId: payment.id, deliveryId, currency, occurredAt, createdAt: now };
  const isNew = await recordDispute(tx, { disputeId, amount, state, ...report });
  return settleReport(tx, scope, payment, isNew ? 'a dispute that waits for its payment' : null);
}

/** The refund in a fact, with the key that all its reports share. */
function refundIn(fact: PaymentRefunded | PaymentRefundUndone, named: Payment) {
  const { occurredAt } = fact;
  if (fact.kind === 'payment.refund_undone') {
    const { refundId: refundKey, amountMinor: amount, chargeId = null } = fact;
    const amounts = { amount, commissionable: null, lines: [], chargeId, released: null };
    return { refundKey, kind: 'refund', ...amounts, refundedAt: null, failedAt: occurredAt } as const;
  }
  const { refund, references } = fact;
  const { chargeId = null } = refund;
  const shared = { chargeId, refundedAt: occurredAt, failedAt: null };
  if ('refundId' in refund) {
    const { refundId: refundKey, amountMinor: amount, commissionableMinor: commissionable = null, lines = [] } = refund;
    return { refundKey, kind: 'refund', amount, commissionable, lines, released: null, ...shared } as const;
  }
  const { cumulativeAmountMinor: amount, releasedMinor: released = null } = refund;
  // a reference of the fact never changes, even when its payment is merged
  const refundKey = `cumulative ${chargeId ?? references[0] ?? named.id} ${amount}`;
  return { refundKey, kind: 'cumulative', amount, commissionable: null, lines: [], released, ...shared } as const;
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
): Promise<Payment> {
  const [holder] = await claimPayments(tx, scope.accountId, async () => {
    const earlier = await findEarlier();
    const payment = earlier && (await findPayment(tx, scope.accountId, earlier.paymentId));
    return payment ? [payment] : [];
  });
  if (holder === undefined || holder.id === named.id) return named;
  if (holder.state !== 'awaited' && named.state !== 'awaited') return holder;
  return mergePayments(tx, scope, named, holder);
}
