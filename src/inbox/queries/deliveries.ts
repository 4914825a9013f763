import type { DeliveryResult, ReceivedDelivery } from '../../core/delivery.ts';
import type { Outcome } from '../../core/facts.ts';
import type { Transaction } from '../../storage/database.ts';

export interface NewDelivery extends ReceivedDelivery, DeliveryResult {}

/** Whether the endpoint has seen a delivery with this key. */
export async function isKnownDelivery(tx: Transaction, endpointId: string, deliveryKey: string): Promise<boolean> {
  const row = await tx.get(
    'SELECT 1 AS known FROM deliveries WHERE endpoint_id = @endpointId AND delivery_key = @deliveryKey',
    { endpointId, deliveryKey },
  );
  return row !== undefined;
}

/** False when the endpoint has seen this delivery. */
export async function insertDelivery(tx: Transaction, delivery: NewDelivery): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO deliveries (id, account_id, endpoint_id, processor, delivery_key, event_type, status, outcome, reason,
       sale_id, attempts, next_attempt_at, received_at, headers, body)
     VALUES (@id, @accountId, @endpointId, @processor, @deliveryKey, @eventType, @status, @outcome, @reason,
       @saleId, @attempts, @nextAttemptAt, @receivedAt, @headers, @body)
     ON CONFLICT (endpoint_id, delivery_key) DO NOTHING`,
    { ...delivery },
  );
  return changed === 1;
}

export function updateDelivery(tx: Transaction, accountId: string, deliveryId: string, result: DeliveryResult) {
  return tx.run(
    `UPDATE deliveries SET status = @status, outcome = @outcome, reason = @reason, sale_id = @saleId,
       attempts = @attempts, next_attempt_at = @nextAttemptAt
     WHERE account_id = @accountId AND id = @deliveryId`,
    { accountId, deliveryId, ...result },
  );
}

/** What a delivery shows changes when its parked payment is attributed or taken over later. */
export function updateOutcome(
  tx: Transaction,
  accountId: string,
  deliveryId: string,
  outcome: Outcome,
  saleId: string | null,
) {
  return tx.run(
    `UPDATE deliveries SET outcome = @outcome, sale_id = @saleId, reason = NULL
     WHERE account_id = @accountId AND id = @deliveryId`,
    { accountId, deliveryId, outcome, saleId },
  );
}

/** A refund or dispute that its payment's arrival showed to be impossible: its delivery fails after all. */
export function reopenDelivery(
  tx: Transaction,
  accountId: string,
  deliveryId: string,
  reason: string,
  nextAttemptAt: number,
) {
  return tx.run(
    `UPDATE deliveries SET status = 'failed', outcome = 'failed', reason = @reason, next_attempt_at = @nextAttemptAt
     WHERE account_id = @accountId AND id = @deliveryId`,
    { accountId, deliveryId, reason, nextAttemptAt },
  );
}

/** A delivery as it was stored, for another attempt. */
export interface StoredDelivery extends DeliveryResult {
  id: string;
  accountId: string;
  endpointId: string;
  processor: string;
  headers: string;
  /** Null once dropped. */
  body: Buffer | null;
}

export function findStoredDelivery(tx: Transaction, accountId: string, deliveryId: string) {
  return tx.get<StoredDelivery>(
    `SELECT id, account_id AS "accountId", endpoint_id AS "endpointId", processor, status, outcome, reason,
       sale_id AS "saleId", attempts, next_attempt_at AS "nextAttemptAt", headers, body
     FROM deliveries WHERE account_id = @accountId AND id = @deliveryId`,
    { accountId, deliveryId },
  );
}

/** Deliveries whose next attempt is due, of whichever account, the longest overdue first. */
export function findDueDeliveries(tx: Transaction, now: number, limit: number) {
  return tx.all<Pick<StoredDelivery, 'accountId' | 'id'>>(
    `SELECT account_id AS "accountId", id FROM deliveries WHERE next_attempt_at IS NOT NULL AND next_attempt_at <= @now
     ORDER BY next_attempt_at LIMIT @limit`,
    { now, limit },
  );
}

/** The deliveries of one account with ids between these two, the first `limit` of them. */
export interface DeliveryRange {
  accountId: string;
  afterId: string;
  beforeId: string;
  limit: number;
}

/**
 * Drops the bodies of those that were processed. Returns the last id it looked at, null when none was left, and how
 * many bodies it dropped.
 */
export async function dropBodies(
  tx: Transaction,
  { accountId, afterId, beforeId, limit }: DeliveryRange,
): Promise<{ lastId: string | null; droppedCount: number }> {
  const last = await tx.get<{ id: string | null }>(
    `SELECT MAX(id) AS id FROM (
       SELECT id FROM deliveries WHERE account_id = @accountId AND id > @afterId AND id < @beforeId
       ORDER BY id LIMIT @limit) AS looked_at`,
    { accountId, afterId, beforeId, limit },
  );
  const lastId = last?.id ?? null;
  if (lastId === null) return { lastId, droppedCount: 0 };
  const droppedCount = await tx.run(
    `UPDATE deliveries SET body = NULL
     WHERE account_id = @accountId AND id > @afterId AND id <= @lastId AND body IS NOT NULL
       AND status = 'processed'`,
    { accountId, afterId, lastId },
  );
  return { lastId, droppedCount };
}
