import type { DeliveryStatus, KeptHeaders } from '../../core/delivery.ts';
import type { AccountId, DeliveryId, EndpointId, SaleId } from '../../core/ids.ts';
import { OUTCOMES, type Outcome } from '../../core/outcome.ts';
import type { Processor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  filterParameters,
  isSet,
  type ListSql,
  listParameters,
  type PageBounds,
  pageSql,
  walkOf,
  walkOfAccount,
  walkOfPeriod,
} from '../../storage/list-filters.ts';
import { manyIds } from '../../storage/many-ids.ts';

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

const FILTERED = { endpointId: 'd.endpoint_id', processor: 'd.processor', outcome: 'd.outcome', status: 'd.status' };

const NARROW = { time: 'd.received_at', columns: {} };

const OF_SALE = `d.sale_id = (SELECT s.id FROM sales s WHERE s.account_id = @accountId AND s.id = @saleId)`;

const OF_ENDPOINTS: Readonly<Record<string, string>> = {
  endpointId: ' AND w.id = @endpointId',
  processor: ' AND w.processor = @processor',
};

/** Newest first. */
export async function findDeliveries(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  bounds: PageBounds,
): Promise<DeliveryView[]> {
  const isProcessed = filters.status === 'processed';
  const parameters = { accountId, ...listParameters(filters, bounds) };
  const find = (walks: ListSql['walks']) =>
    `SELECT ${COLUMNS} FROM deliveries d WHERE ${pageSql(filters, { alias: 'd', columns: FILTERED, walks, narrow: NARROW })}`;
  // a sale has only a few deliveries, so this filter leads whatever the others are
  if (isSet(filters, 'saleId')) return tx.all(find({ saleId: walkOf('d', OF_SALE) }), parameters);
  if (isSet(filters, 'status') && !isProcessed) {
    // this literal term is the condition of the partial index
    return tx.all(find({ status: walkOfAccount('d', "d.status = @status AND d.status <> 'processed'") }), parameters);
  }
  if (isSet(filters, 'period')) return tx.all(find({ period: walkOfPeriod('d') }), parameters);
  if (!['endpointId', 'processor', 'outcome'].some((name) => isSet(filters, name))) return tx.all(find({}), parameters);
  const end = isSet(filters, 'narrow') ? ' AND CASE WHEN k.received_at < @toAt THEN 1 ELSE 0 END <> 0' : '';
  const conditions = `${isProcessed ? ' AND k.status = @status' : ''}${end}`;
  const page = walkOf('d', idsOfEndpoint(isSet(filters, 'outcome') ? ['@outcome'] : OUTCOME_LITERALS, conditions));
  const sql = find({ endpointId: page, processor: page, outcome: page });
  const deliveries: DeliveryView[] = [];
  for (const { id: endpointId } of await findEndpointIds(tx, accountId, filters)) {
    deliveries.push(...(await tx.all<DeliveryView>(sql, { ...parameters, endpointId })));
  }
  return deliveries.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, bounds.limit);
}

/**
 * An account has a few endpoints, each for one processor. Deleted endpoints are included, because they have deliveries
 * too.
 */
function findEndpointIds(tx: Transaction, accountId: AccountId, filters: Filters) {
  const conditions = Object.entries(OF_ENDPOINTS).flatMap(([name, sql]) => (isSet(filters, name) ? [sql] : []));
  return tx.all<{ id: EndpointId }>(
    `SELECT w.id FROM webhook_endpoints w WHERE w.account_id = @accountId${conditions.join('')}`,
    { accountId, ...filterParameters(filters) },
  );
}

const OUTCOME_LITERALS = OUTCOMES.map((outcome) => `'${outcome}'`);

/**
 * The newest deliveries of an endpoint with these outcomes. Takes the newest of each outcome by the index
 * `deliveries_outcome`, and of these the newest overall. One index thus serves endpoints, processors and outcomes. The
 * account is compared together with the id: alone, it would let PostgreSQL read all of its deliveries instead.
 */
function idsOfEndpoint(outcomes: readonly string[], conditions: string): string {
  const pages = outcomes.map(
    (outcome) => `SELECT * FROM (SELECT k.id FROM deliveries k
      WHERE k.endpoint_id = @endpointId AND k.outcome = ${outcome} AND k.id < @beforeId${conditions}
      ORDER BY k.id DESC LIMIT @limit) AS page`,
  );
  return `(d.account_id, d.id) IN (SELECT CAST(@accountId AS TEXT), pages.id FROM (${pages.join(' UNION ALL ')}) AS pages
    ORDER BY pages.id DESC LIMIT @limit)`;
}

const findByIds = manyIds<DeliveryView>(
  (list) => `SELECT ${COLUMNS} FROM deliveries WHERE account_id = @accountId AND id IN ${list}`,
);

/** The account's deliveries with these ids, oldest first. */
export async function findDeliveriesById(tx: Transaction, accountId: AccountId, ids: readonly DeliveryId[]) {
  const found = ids.length === 0 ? [] : await findByIds(tx, ids, { accountId });
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
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
