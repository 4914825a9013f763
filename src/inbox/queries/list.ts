import type { Transaction } from '../../storage/database.ts';
import { type Filters, filterParameters, filterSql, type PageBounds } from '../../storage/list-filters.ts';

export interface DeliveryView {
  id: string;
  endpointId: string;
  processor: string;
  eventId: string;
  eventType: string | null;
  status: string;
  outcome: string;
  reason: string | null;
  saleId: string | null;
  attempts: number;
  nextAttemptAt: number | null;
  receivedAt: number;
}

export interface DeliveryDetail extends DeliveryView {
  /** JSON of the headers that were kept. */
  headers: string;
  /** Null once dropped. */
  body: Buffer | null;
}

const COLUMNS = `id, endpoint_id AS "endpointId", processor, delivery_key AS "eventId", event_type AS "eventType", status,
  outcome, reason, sale_id AS "saleId", attempts, next_attempt_at AS "nextAttemptAt", received_at AS "receivedAt"`;

const CONDITIONS = {
  processor: 'processor = @processor',
  outcome: 'outcome = @outcome',
  status: 'status = @status',
  endpointId: 'endpoint_id = @endpointId',
};

/** The newest first. */
export function findDeliveries(tx: Transaction, accountId: string, filters: Filters, bounds: PageBounds) {
  return tx.all<DeliveryView>(
    `SELECT ${COLUMNS} FROM deliveries
     WHERE account_id = @accountId${filterSql(filters, CONDITIONS)} AND id < @beforeId
     ORDER BY id DESC LIMIT @limit`,
    { accountId, ...filterParameters(filters), ...bounds },
  );
}

export function findDelivery(tx: Transaction, accountId: string, id: string) {
  return tx.get<DeliveryDetail>(
    `SELECT ${COLUMNS}, headers, body FROM deliveries WHERE account_id = @accountId AND id = @id`,
    { accountId, id },
  );
}
