import type { Processor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PageBounds } from '../../storage/list-filters.ts';

/** Where a processor posts to. */
export interface Endpoint {
  id: string;
  accountId: string;
  programId: string;
  processor: Processor;
  /** Encrypted JSON `{secrets, authorization}`; null until one was set. */
  sealedSecrets: Buffer | null;
  secretCount: number;
  hasAuthorization: boolean;
  /** Shopify, lower case. */
  shopDomain: string | null;
  acceptTestEvents: boolean;
  /** RevenueCat; null for the adapter's default. */
  countStores: string[] | null;
  countPaymentIntents: boolean;
  createdAt: number;
}

export interface EndpointWithTraffic extends Endpoint {
  /** When the newest delivery arrived, to the minute; null for none yet. */
  lastDeliveryAt: number | null;
}

type Row<Of extends Endpoint> = Omit<
  Of,
  'hasAuthorization' | 'acceptTestEvents' | 'countStores' | 'countPaymentIntents'
> & {
  hasAuthorization: number;
  acceptTestEvents: number;
  countStores: string | null;
  countPaymentIntents: number;
};

const COLUMNS = `w.id, w.account_id AS "accountId", w.program_id AS "programId", w.processor,
  w.sealed_secrets AS "sealedSecrets", w.secret_count AS "secretCount", w.has_authorization AS "hasAuthorization",
  w.shop_domain AS "shopDomain", w.accept_test_events AS "acceptTestEvents", w.count_stores AS "countStores",
  w.count_payment_intents AS "countPaymentIntents", w.created_at AS "createdAt"`;

const WITH_TRAFFIC = `
  SELECT ${COLUMNS}, w.last_delivery_at AS "lastDeliveryAt"
  FROM webhook_endpoints w
  WHERE w.account_id = @accountId AND w.deleted_at IS NULL`;

/** Adds an endpoint; its id is new. */
export async function insertEndpoint(tx: Transaction, endpoint: Endpoint): Promise<void> {
  await tx.run(
    `INSERT INTO webhook_endpoints (id, account_id, program_id, processor, sealed_secrets, secret_count,
       has_authorization, shop_domain, accept_test_events, count_stores, count_payment_intents, created_at)
     VALUES (@id, @accountId, @programId, @processor, @sealedSecrets, @secretCount, @hasAuthorization, @shopDomain,
       @acceptTestEvents, @countStores, @countPaymentIntents, @createdAt)`,
    asParameters(endpoint),
  );
}

/** Writes what may change of an endpoint. */
export async function updateEndpoint(tx: Transaction, endpoint: Endpoint): Promise<void> {
  await tx.run(
    `UPDATE webhook_endpoints SET program_id = @programId, sealed_secrets = @sealedSecrets,
       secret_count = @secretCount, has_authorization = @hasAuthorization, shop_domain = @shopDomain,
       accept_test_events = @acceptTestEvents, count_stores = @countStores,
       count_payment_intents = @countPaymentIntents
     WHERE account_id = @accountId AND id = @id`,
    asParameters(endpoint),
  );
}

/** The endpoint is no more and its secrets are forgotten; the row stays, its deliveries name it. False where none was. */
export async function deleteEndpoint(tx: Transaction, accountId: string, id: string, now: number): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE webhook_endpoints SET deleted_at = @now, sealed_secrets = NULL, secret_count = 0, has_authorization = 0
     WHERE account_id = @accountId AND id = @id AND deleted_at IS NULL`,
    { accountId, id, now },
  );
  return changed === 1;
}

/** One endpoint of this account that was not deleted. */
export async function findEndpoint(tx: Transaction, accountId: string, id: string) {
  const row = await tx.get<Row<EndpointWithTraffic>>(`${WITH_TRAFFIC} AND w.id = @id`, { accountId, id });
  return row && asEndpoint(row);
}

/** Endpoints of this account with ids below `beforeId` that were not deleted, the newest first. */
export async function findEndpoints(
  tx: Transaction,
  accountId: string,
  { limit, beforeId }: PageBounds,
): Promise<EndpointWithTraffic[]> {
  const rows = await tx.all<Row<EndpointWithTraffic>>(
    `${WITH_TRAFFIC} AND w.id < @beforeId ORDER BY w.id DESC LIMIT @limit`,
    { accountId, beforeId, limit },
  );
  return rows.map(asEndpoint);
}

/** The endpoint that a delivery was posted to, of whichever account; undefined when it was deleted or is another processor's. */
export async function findEndpointForDelivery(
  tx: Transaction,
  id: string,
  processor: Processor,
): Promise<EndpointWithTraffic | undefined> {
  const row = await tx.get<Row<EndpointWithTraffic>>(
    `SELECT ${COLUMNS}, w.last_delivery_at AS "lastDeliveryAt" FROM webhook_endpoints w
     WHERE w.id = @id AND w.processor = @processor AND w.deleted_at IS NULL`,
    { id, processor },
  );
  return row && asEndpoint(row);
}

/** Notes that the endpoint is in use, unless it was noted after `notedBefore`. */
export async function touchEndpoint(tx: Transaction, id: string, now: number, notedBefore: number): Promise<void> {
  await tx.run(
    `UPDATE webhook_endpoints SET last_delivery_at = @now
     WHERE id = @id AND (last_delivery_at IS NULL OR last_delivery_at <= @notedBefore)`,
    { id, now, notedBefore },
  );
}

function asParameters(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    accountId: endpoint.accountId,
    programId: endpoint.programId,
    processor: endpoint.processor,
    sealedSecrets: endpoint.sealedSecrets,
    secretCount: endpoint.secretCount,
    hasAuthorization: Number(endpoint.hasAuthorization),
    shopDomain: endpoint.shopDomain,
    acceptTestEvents: Number(endpoint.acceptTestEvents),
    countStores: endpoint.countStores && JSON.stringify(endpoint.countStores),
    countPaymentIntents: Number(endpoint.countPaymentIntents),
    createdAt: endpoint.createdAt,
  };
}

function asEndpoint<Of extends Endpoint>(row: Row<Of>) {
  return {
    ...row,
    hasAuthorization: row.hasAuthorization === 1,
    acceptTestEvents: row.acceptTestEvents === 1,
    countStores: row.countStores === null ? null : (JSON.parse(row.countStores) as string[]),
    countPaymentIntents: row.countPaymentIntents === 1,
  };
}
