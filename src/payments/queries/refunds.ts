import type { Transaction } from '../../storage/database.ts';

export interface RefundRow {
  processor: string;
  refundKey: string;
  kind: 'refund' | 'cumulative';
  amount: number | null;
  currency: string;
  failed: number;
  deliveryId: string | null;
  occurredAt: number;
}

export interface DisputeRow {
  processor: string;
  disputeId: string;
  amount: number;
  currency: string;
  state: 'open' | 'won' | 'lost';
  deliveryId: string | null;
  occurredAt: number;
}

/** Where a refund or dispute belongs, and when it was stored. */
interface Placed {
  accountId: string;
  paymentId: string;
  createdAt: number;
}

/**
 * Stores one report of a refund. Reports of one refund add up: a failure stays a failure, an amount that was missing
 * is filled in. Returns false when nothing of it was new.
 */
export async function recordRefund(tx: Transaction, refund: RefundRow & Placed): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO refunds (account_id, processor, refund_key, payment_id, kind, amount, currency, failed, delivery_id,
       occurred_at, created_at)
     VALUES (@accountId, @processor, @refundKey, @paymentId, @kind, @amount, @currency, @failed, @deliveryId,
       @occurredAt, @createdAt)
     ON CONFLICT (account_id, processor, refund_key) DO UPDATE SET
       amount = COALESCE(refunds.amount, excluded.amount),
       failed = CASE WHEN refunds.failed = 1 THEN 1 ELSE excluded.failed END
     WHERE refunds.failed < excluded.failed OR (refunds.amount IS NULL AND excluded.amount IS NOT NULL)`,
    { ...refund },
  );
  return changed === 1;
}

/**
 * Stores one report of a dispute. A verdict never opens again; of two verdicts the later one holds (of the same moment,
 * `won`). Returns false when nothing of it was new.
 */
export async function recordDispute(tx: Transaction, dispute: DisputeRow & Placed): Promise<boolean> {
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

export function listRefunds(tx: Transaction, paymentId: string) {
  return tx.all<RefundRow>(
    `SELECT processor, refund_key AS "refundKey", kind, amount, currency, failed, delivery_id AS "deliveryId",
       occurred_at AS "occurredAt"
     FROM refunds WHERE payment_id = @paymentId ORDER BY occurred_at, refund_key`,
    { paymentId },
  );
}

export function listDisputes(tx: Transaction, paymentId: string) {
  return tx.all<DisputeRow>(
    `SELECT processor, dispute_id AS "disputeId", amount, currency, state, delivery_id AS "deliveryId",
       occurred_at AS "occurredAt"
     FROM disputes WHERE payment_id = @paymentId ORDER BY occurred_at, dispute_id`,
    { paymentId },
  );
}

/** The one refund with this id, whichever payment it is of. */
export function findRefund(tx: Transaction, accountId: string, processor: string, refundKey: string) {
  return tx.get<{ paymentId: string; amount: number | null; currency: string }>(
    `SELECT payment_id AS "paymentId", amount, currency FROM refunds
     WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey`,
    { accountId, processor, refundKey },
  );
}

/** The payment that a dispute hangs on. */
export function findDispute(tx: Transaction, accountId: string, processor: string, disputeId: string) {
  return tx.get<{ paymentId: string }>(
    `SELECT payment_id AS "paymentId" FROM disputes
     WHERE account_id = @accountId AND processor = @processor AND dispute_id = @disputeId`,
    { accountId, processor, disputeId },
  );
}

export function deleteRefund(tx: Transaction, accountId: string, processor: string, refundKey: string) {
  return tx.run(
    'DELETE FROM refunds WHERE account_id = @accountId AND processor = @processor AND refund_key = @refundKey',
    { accountId, processor, refundKey },
  );
}

export function deleteDispute(tx: Transaction, accountId: string, processor: string, disputeId: string) {
  return tx.run(
    'DELETE FROM disputes WHERE account_id = @accountId AND processor = @processor AND dispute_id = @disputeId',
    { accountId, processor, disputeId },
  );
}
