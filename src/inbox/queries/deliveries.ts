import type { DeliveryResult, KeptHeaders, ReceivedDelivery } from '../../core/delivery.ts';
import type { AccountId, DeliveryId, EndpointId, SaleId } from '../../core/ids.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Processor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';

/** True when the endpoint has already stored a delivery with this key. */
export async function isKnownDelivery(tx: Transaction, endpointId: EndpointId, deliveryKey: string): Promise<boolean> {
  const row = await tx.get(
    'SELECT 1 AS known FROM deliveries WHERE endpoint_id = @endpointId AND delivery_key = @deliveryKey',
    { endpointId, deliveryKey },
  );
  return row !== undefined;
}

/** Stores a delivery. @throws an error that `isTaken` when the endpoint already has one with this key */
export function insertDelivery(tx: Transaction, delivery: ReceivedDelivery & DeliveryResult): Promise<number> {
  return tx.run(
    `INSERT INTO deliveries (id, account_id, endpoint_id, processor, delivery_key, event_type, status, outcome, reason,
       sale_id, attempts, next_attempt_at, received_at, headers, body, is_read_back)
     VALUES (@id, @accountId, @endpointId, @processor, @deliveryKey, @eventType, @status, @outcome, @reason,
       @saleId, @attempts, @nextAttemptAt, @receivedAt, @headers, @body, @isReadBack)`,
    { ...delivery, isReadBack: delivery.isReadBack ? 1 : 0 },
  );
}

export function updateDelivery(tx: Transaction, accountId: AccountId, deliveryId: DeliveryId, result: DeliveryResult) {
  return tx.run(
    `UPDATE deliveries SET status = @status, outcome = @outcome, reason = @reason, sale_id = @saleId,
       attempts = @attempts, next_attempt_at = @nextAttemptAt
     WHERE account_id = @accountId AND id = @deliveryId`,
    { accountId, deliveryId, ...result },
  );
}

/** The new outcome of a processed delivery. */
export interface ChangedOutcome {
  accountId: AccountId;
  deliveryId: DeliveryId;
  outcome: Outcome;
  saleId: SaleId | null;
}

/** Changes a delivery's outcome when its parked payment is attributed or merged later. */
export function updateOutcome(tx: Transaction, change: ChangedOutcome) {
  return tx.run(
    `UPDATE deliveries SET outcome = @outcome, sale_id = @saleId, reason = NULL
     WHERE account_id = @accountId AND id = @deliveryId`,
    { ...change },
  );
}

/** Why a processed delivery failed after all, and the time of its retry (epoch milliseconds). */
export interface ReopenedDelivery {
  accountId: AccountId;
  deliveryId: DeliveryId;
  reason: string;
  nextAttemptAt: number;
}

/**
 * Marks the delivery of a refund or dispute as failed, because its payment arrived later and shows that it cannot be
 * right.
 */
export function reopenDelivery(tx: Transaction, reopened: ReopenedDelivery) {
  return tx.run(
    `UPDATE deliveries SET status = 'failed', outcome = 'failed', reason = @reason, next_attempt_at = @nextAttemptAt
     WHERE account_id = @accountId AND id = @deliveryId`,
    { ...reopened },
  );
}

/** A stored delivery with everything that another attempt needs. */
export interface StoredDelivery extends DeliveryResult {
  id: DeliveryId;
  accountId: AccountId;
  endpointId: EndpointId;
  processor: Processor;
  headers: KeptHeaders;
  /** Null after its deletion. */
  body: Buffer | null;
  isReadBack?: true;
}

type StoredDeliveryRow = Omit<StoredDelivery, 'headers' | 'isReadBack'> & { headers: string; isReadBack: number };

const RESULT = `status, outcome, reason, sale_id AS "saleId", attempts, next_attempt_at AS "nextAttemptAt"`;

export async function findStoredDelivery(
  tx: Transaction,
  accountId: AccountId,
  deliveryId: string,
): Promise<StoredDelivery | undefined> {
  const row = await tx.get<StoredDeliveryRow>(
    `SELECT id, account_id AS "accountId", endpoint_id AS "endpointId", processor, ${RESULT}, headers, body,
       is_read_back AS "isReadBack"
     FROM deliveries WHERE account_id = @accountId AND id = @deliveryId`,
    { accountId, deliveryId },
  );
  if (row === undefined) return undefined;
  const { isReadBack, ...stored } = row;
  const source = isReadBack === 1 ? { isReadBack: true as const } : {};
  return { ...stored, headers: JSON.parse(row.headers) as KeptHeaders, ...source };
}

/** The result of a delivery's latest attempt. Leaves out the body, which is large. */
export function findDeliveryResult(tx: Transaction, accountId: AccountId, deliveryId: DeliveryId) {
  return tx.get<DeliveryResult>(RESULT_OF, { accountId, deliveryId });
}

/** As `findDeliveryResult`; no other unit changes the delivery until this one ends. */
export function lockDeliveryResult(tx: Transaction, accountId: AccountId, deliveryId: DeliveryId) {
  return tx.get<DeliveryResult>(`${RESULT_OF} /* postgres: FOR NO KEY UPDATE */`, { accountId, deliveryId });
}

const RESULT_OF = `SELECT ${RESULT} FROM deliveries WHERE account_id = @accountId AND id = @deliveryId`;

/**
 * Deliveries of any account whose next attempt is due, longest overdue first, and as many that are due only after `far`.
 * Both are ranges of one index.
 */
export function findDueDeliveries(tx: Transaction, { now, far, limit }: { now: number; far: number; limit: number }) {
  const range = (condition: string) =>
    `SELECT * FROM (SELECT account_id AS "accountId", id FROM deliveries
       WHERE next_attempt_at IS NOT NULL AND next_attempt_at ${condition} ORDER BY next_attempt_at LIMIT @limit) due`;
  return tx.all<Pick<StoredDelivery, 'accountId' | 'id'>>(`${range('<= @now')} UNION ALL ${range('> @far')}`, {
    now,
    far,
    limit,
  });
}
