import type { DisputeState } from '../../core/facts.ts';
import type { AccountId, DeliveryId, PaymentId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { ReportedRefund } from '../../core/reversal.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyIds } from '../../storage/many-ids.ts';

export interface Refund {
  processor: PaymentProcessor;
  refundKey: string;
  kind: ReportedRefund['kind'];
  amount: number | null;
  currency: string;
  failed: boolean;
  deliveryId: DeliveryId | null;
  occurredAt: number;
}

export interface Dispute {
  processor: PaymentProcessor;
  disputeId: string;
  amount: number;
  currency: string;
  state: DisputeState;
  deliveryId: DeliveryId | null;
  occurredAt: number;
}

/** The account and payment of a report, and when it was stored. */
interface ReportContext {
  accountId: AccountId;
  paymentId: PaymentId;
  createdAt: number;
}

/**
 * Stores a report of a refund. Reports of the same refund are merged: a failed refund stays failed, and a missing amount
 * is filled in. Returns false when nothing changed.
 */
export async function recordRefund(tx: Transaction, refund: Refund & ReportContext): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO refunds (account_id, processor, refund_key, payment_id, kind, amount, currency, failed, delivery_id,
       occurred_at, created_at)
     VALUES (@accountId, @processor, @refundKey, @paymentId, @kind, @amount, @currency, @failed, @deliveryId,
       @occurredAt, @createdAt)
     ON CONFLICT (account_id, processor, refund_key) DO UPDATE SET
       amount = COALESCE(refunds.amount, excluded.amount),
       failed = CASE WHEN refunds.failed = 1 THEN 1 ELSE excluded.failed END
     WHERE refunds.failed < excluded.failed OR (refunds.amount IS NULL AND excluded.amount IS NOT NULL)`,
    { ...refund, failed: refund.failed ? 1 : 0 },
  );
  return changed === 1;
}

/**
 * Stores a report of a dispute. A decided dispute never reopens; of two verdicts the later wins (at the same time, `won`).
 * Returns false when nothing changed.
 */
export async function recordDispute(tx: Transaction, dispute: Dispute & ReportContext): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO disputes (account_id, processor, dispute_id, payment_id, amount, currency, state, delivery_id,
       occurred_at, created_at)
     VALUES (@accountId, @processor, @disputeId, @paymentId, @amount, @currency, @state, @deliveryId,
       @occurredAt, @createdAt)
     ON CONFLICT (account_id, processor, dispute_id) DO UPDATE SET
       amount = excluded.amount, state = excluded.state, occurred_at = excluded.occurred_at
     WHERE excluded.state <> 'open' AND (
       disputes.state = 'open'
       OR disputes.occurred_at < excluded.occurred_at
       OR (disputes.occurred_at = excluded.occurred_at AND disputes.state = 'lost' AND excluded.state = 'won'))`,
    { ...dispute },
  );
  return changed === 1;
}

export async function findRefunds(tx: Transaction, paymentId: PaymentId): Promise<Refund[]> {
  const rows = await tx.all<Omit<Refund, 'failed'> & { failed: number }>(
    `SELECT processor, refund_key AS "refundKey", kind, amount, currency, failed, delivery_id AS "deliveryId",
       occurred_at AS "occurredAt"
     FROM refunds WHERE payment_id = @paymentId ORDER BY occurred_at, refund_key`,
    { paymentId },
  );
  return rows.map((row) => ({ ...row, failed: row.failed === 1 }));
}

export function findDisputes(tx: Transaction, paymentId: PaymentId) {
  return tx.all<Dispute>(
    `SELECT processor, dispute_id AS "disputeId", amount, currency, state, delivery_id AS "deliveryId",
       occurred_at AS "occurredAt"
     FROM disputes WHERE payment_id = @paymentId ORDER BY occurred_at, dispute_id`,
    { paymentId },
  );
}

/** What a refund takes from its payment. */
export type RefundOf = Pick<Refund, 'kind' | 'amount' | 'currency' | 'failed'> & { paymentId: PaymentId };
/** What a dispute takes from its payment. */
export type DisputeOf = Pick<Dispute, 'amount' | 'currency' | 'state'> & { paymentId: PaymentId };

const allRefunds = manyIds<Omit<RefundOf, 'failed'> & { failed: number }>(
  (list) => `SELECT payment_id AS "paymentId", kind, amount, currency, failed FROM refunds WHERE payment_id IN ${list}`,
);

const allDisputes = manyIds<DisputeOf>(
  (list) => `SELECT payment_id AS "paymentId", amount, currency, state FROM disputes WHERE payment_id IN ${list}`,
);

/** The refunds of these payments, in any order. */
export async function findRefundsOf(tx: Transaction, paymentIds: readonly PaymentId[]): Promise<RefundOf[]> {
  return (await allRefunds(tx, paymentIds)).map((row) => ({ ...row, failed: row.failed === 1 }));
}

/** The disputes of these payments, in any order. */
export function findDisputesOf(tx: Transaction, paymentIds: readonly PaymentId[]): Promise<DisputeOf[]> {
  return allDisputes(tx, paymentIds);
}

/** The refund with this id, of any payment. */
export function findRefund(tx: Transaction, accountId: AccountId, processor: PaymentProcessor, refundKey: string) {
  return tx.get<{ paymentId: PaymentId; amount: number | null; currency: string }>(
    `SELECT payment_id AS "paymentId", amount, currency FROM refunds
     WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey`,
    { accountId, processor, refundKey },
  );
}

/** The payment of a dispute. */
export function findDispute(tx: Transaction, accountId: AccountId, processor: PaymentProcessor, disputeId: string) {
  return tx.get<{ paymentId: PaymentId }>(
    `SELECT payment_id AS "paymentId" FROM disputes
     WHERE account_id = @accountId AND processor = @processor AND dispute_id = @disputeId`,
    { accountId, processor, disputeId },
  );
}

export function deleteRefund(tx: Transaction, accountId: AccountId, processor: PaymentProcessor, refundKey: string) {
  return tx.run(
    'DELETE FROM refunds WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey',
    { accountId, processor, refundKey },
  );
}

export function deleteDispute(tx: Transaction, accountId: AccountId, processor: PaymentProcessor, disputeId: string) {
  return tx.run(
    'DELETE FROM disputes WHERE account_id = @accountId AND processor = @processor AND dispute_id = @disputeId',
    { accountId, processor, disputeId },
  );
}
