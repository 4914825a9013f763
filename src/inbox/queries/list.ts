import type { DeliveryStatus, KeptHeaders } from '../../core/delivery.ts';
import type { Outcome } from '../../core/facts.ts';
import type { AccountId, DeliveryId, EndpointId, SaleId } from '../../core/ids.ts';
import type { Processor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, filterParameters, filterSql, type PageBounds } from '../../storage/list-filters.ts';

export interface DeliveryView {
  id: DeliveryId;
  endpointId: EndpointId;
  processor: Processor;
  eventId: string;
  eventType: string | null;
  status: DeliveryStatus;
  outcome: Outcome;
  reason: string | null;
  saleId: SaleId | null;
  attempts: number;
  nextAttemptAt: number | null;
  receivedAt: number;
}

export interface DeliveryDetail extends DeliveryView {
  headers: KeptHeaders;
  /** Null after its deletion. */
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
export function findDeliveries(tx: Transaction, accountId: AccountId, filters: Filters, bounds: PageBounds) {
  return tx.all<DeliveryView>(
    `SELECT ${COLUMNS} FROM deliveries
     WHERE account_id = @accountId${filterSql(filters, CONDITIONS)} AND id < @beforeId
     ORDER BY id DESC LIMIT @limit`,
    { accountId, ...filterParameters(filters), ...bounds },
  );
}

export async function findDelivery(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<DeliveryDetail | undefined> {
  const row = await tx.get<Omit<DeliveryDetail, 'headers'> & { headers: string }>(
    `SELECT ${COLUMNS}, headers, body FROM deliveries WHERE account_id = @accountId AND id = @id`,
    { accountId, id },
  );
  return row && { ...row, headers: JSON.parse(row.headers) as KeptHeaders };
}
