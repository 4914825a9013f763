import type { DisputeState } from '../../core/facts.ts';
import type { AccountId, DeliveryId, PaymentId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyIds } from '../../storage/many-ids.ts';
import type { ReportContext } from './refunds.ts';

export interface Dispute {
  processor: PaymentProcessor;
  disputeId: string;
  amount: number;
  currency: string;
  state: DisputeState;
  deliveryId: DeliveryId | null;
  occurredAt: number;
}

/** What a dispute takes from its payment. */
export type DisputeOf = Omit<Dispute, 'deliveryId'> & { paymentId: PaymentId };

/**
 * Stores a report of a dispute. A decided dispute never reopens. Of two verdicts, the later wins; at the same time,
 * `won` does. The delivery is the one that said what is stored. Returns false when nothing changed.
 */
export async function recordDispute(tx: Transaction, dispute: Dispute & ReportContext): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO disputes (account_id, processor, dispute_id, payment_id, amount, currency, state, delivery_id,
       occurred_at, created_at)
     VALUES (@accountId, @processor, @disputeId, @paymentId, @amount, @currency, @state, @deliveryId,
       @occurredAt, @createdAt)
     ON CONFLICT (account_id, processor, dispute_id) DO UPDATE SET
       amount = excluded.amount, currency = excluded.currency, state = excluded.state,
       occurred_at = excluded.occurred_at, delivery_id = excluded.delivery_id
     WHERE excluded.state <> 'open' AND (
       disputes.state = 'open'
       OR disputes.occurred_at < excluded.occurred_at
       OR (disputes.occurred_at = excluded.occurred_at AND disputes.state = 'lost' AND excluded.state = 'won'))`,
    { ...dispute },
  );
  return changed === 1;
}

/**
 * Renames a dispute that an earlier version stored under another id, if it can only be the same dispute: it has the
 * same amount or is still open, and was not reported before this one was opened.
 */
export function renameDispute(
  tx: Transaction,
  dispute: { accountId: AccountId; processor: PaymentProcessor; disputeId: string; amount: number; openedAt: number },
  earlierId: string,
) {
  const { accountId, processor, disputeId, amount, openedAt } = dispute;
  return tx.run(
    `UPDATE disputes SET dispute_id = @disputeId
     WHERE account_id = @accountId AND processor = @processor AND dispute_id = @earlierId
       AND (amount = @amount OR state = 'open') AND occurred_at >= @openedAt
       AND NOT EXISTS (SELECT 1 FROM disputes d
         WHERE d.account_id = @accountId AND d.processor = @processor AND d.dispute_id = @disputeId)`,
    { accountId, processor, disputeId, amount, earlierId, openedAt },
  );
}

/** The payment of a dispute, and the currency that is stored under the dispute's own id. */
export function findDispute(tx: Transaction, accountId: AccountId, processor: PaymentProcessor, disputeId: string) {
  return tx.get<{ paymentId: PaymentId; currency: string }>(
    `SELECT payment_id AS "paymentId", currency FROM disputes
     WHERE account_id = @accountId AND processor = @processor AND dispute_id = @disputeId`,
    { accountId, processor, disputeId },
  );
}

const COLUMNS = `processor, dispute_id AS "disputeId", amount, currency, state, occurred_at AS "occurredAt"`;

/** The disputes of the payment, as they are stored: see `distinctDisputes`. */
export function findDisputes(tx: Transaction, paymentId: PaymentId) {
  return tx.all<Dispute>(
    `SELECT ${COLUMNS}, delivery_id AS "deliveryId"
     FROM disputes WHERE payment_id = @paymentId ORDER BY occurred_at, dispute_id`,
    { paymentId },
  );
}

/** Like `findDisputes`, of many payments, in any order. */
export const findDisputesOf = manyIds<DisputeOf>(
  (list) => `SELECT payment_id AS "paymentId", ${COLUMNS} FROM disputes WHERE payment_id IN ${list}`,
);

export function deleteDispute(tx: Transaction, accountId: AccountId, processor: PaymentProcessor, disputeId: string) {
  return tx.run(
    'DELETE FROM disputes WHERE account_id = @accountId AND processor = @processor AND dispute_id = @disputeId',
    { accountId, processor, disputeId },
  );
}
