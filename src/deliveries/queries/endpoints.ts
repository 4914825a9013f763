import type { EndpointSettings } from '../../../adapters/contract/adapter.ts';
import { declarations } from '../../../adapters/settings.ts';
import type { AccountId, EndpointId, ProgramId } from '../../core/ids.ts';
import type { Processor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PageBounds } from '../../storage/list-filters.ts';

/** A webhook endpoint, to which one processor posts. */
export interface Endpoint {
  id: EndpointId;
  accountId: AccountId;
  /** The only program whose partners earn from its payments; null: any program of the account. */
  programId: ProgramId | null;
  processor: Processor;
  /** Declared by the processor's adapter. A setting added after the row was written has its default. */
  settings: EndpointSettings;
  /** Encrypted JSON of the secrets that the adapter declares; null when none is set. */
  sealedSecrets: Buffer | null;
  /** The number of secrets that are set, by name. */
  secretCounts: Readonly<Record<string, number>>;
  createdAt: number;
}

export interface EndpointWithTraffic extends Endpoint {
  /** When the last delivery arrived, with a precision of one minute; null before the first. */
  lastDeliveryAt: number | null;
}

type Row<Of extends Endpoint> = Omit<Of, 'settings' | 'secretCounts'> & { settings: string; secretCounts: string };

const COLUMNS = `w.id, w.account_id AS "accountId", w.program_id AS "programId", w.processor, w.settings,
  w.sealed_secrets AS "sealedSecrets", w.secret_counts AS "secretCounts", w.created_at AS "createdAt"`;

const WITH_TRAFFIC_OR_DELETED = `
  SELECT ${COLUMNS}, w.last_delivery_at AS "lastDeliveryAt"
  FROM webhook_endpoints w
  WHERE w.account_id = @accountId`;
const WITH_TRAFFIC = `${WITH_TRAFFIC_OR_DELETED} AND w.deleted_at IS NULL`;

/** Adds an endpoint with a new id. */
export async function insertEndpoint(tx: Transaction, endpoint: Endpoint): Promise<void> {
  await tx.run(
    `INSERT INTO webhook_endpoints
       (id, account_id, program_id, processor, settings, sealed_secrets, secret_counts, created_at)
     VALUES (@id, @accountId, @programId, @processor, @settings, @sealedSecrets, @secretCounts, @createdAt)`,
    asParameters(endpoint),
  );
}

/** The encrypted secrets of up to `limit` endpoints of any account. */
export async function findSealedSecrets(tx: Transaction, limit: number): Promise<Buffer[]> {
  const rows = await tx.all<{ sealedSecrets: Buffer }>(
    `SELECT sealed_secrets AS "sealedSecrets" FROM webhook_endpoints WHERE sealed_secrets IS NOT NULL LIMIT @limit`,
    { limit },
  );
  return rows.map(({ sealedSecrets }) => sealedSecrets);
}

/** Updates the changeable members of an endpoint. */
export async function updateEndpoint(tx: Transaction, endpoint: Endpoint): Promise<void> {
  await tx.run(
    `UPDATE webhook_endpoints SET program_id = @programId, settings = @settings, sealed_secrets = @sealedSecrets,
       secret_counts = @secretCounts
     WHERE account_id = @accountId AND id = @id`,
    asParameters(endpoint),
  );
}

/**
 * Marks an endpoint as deleted and removes its secrets. Keeps the row, because deliveries refer to it. Returns false
 * when there is none.
 */
export async function deleteEndpointRow(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: number,
): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE webhook_endpoints SET deleted_at = @now, sealed_secrets = NULL, secret_counts = '{}'
     WHERE account_id = @accountId AND id = @id AND deleted_at IS NULL`,
    { accountId, id, now },
  );
  return changed === 1;
}

/** One endpoint of this account, unless it was deleted. */
export async function findEndpoint(tx: Transaction, accountId: AccountId, id: string) {
  const row = await tx.get<Row<EndpointWithTraffic>>(`${WITH_TRAFFIC} AND w.id = @id`, { accountId, id });
  return row && asEndpoint(row);
}

/** One endpoint of this account, also if it was deleted: its deliveries are still interpreted with its settings. */
export async function findEndpointOrDeleted(tx: Transaction, accountId: AccountId, id: string) {
  const row = await tx.get<Row<EndpointWithTraffic>>(`${WITH_TRAFFIC_OR_DELETED} AND w.id = @id`, { accountId, id });
  return row && asEndpoint(row);
}

/** Endpoints of this account with ids below `beforeId`, without deleted ones, newest first. */
export async function findEndpoints(
  tx: Transaction,
  accountId: AccountId,
  { limit, beforeId }: PageBounds,
): Promise<EndpointWithTraffic[]> {
  const rows = await tx.all<Row<EndpointWithTraffic>>(
    `${WITH_TRAFFIC} AND w.id < @beforeId ORDER BY w.id DESC LIMIT @limit`,
    { accountId, beforeId, limit },
  );
  return rows.map(asEndpoint);
}

/**
 * The endpoint of any account that a delivery was posted to; undefined when it was deleted or belongs to another
 * processor.
 */
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

/** How to interpret the deliveries of an endpoint, even of a deleted one, because they may be processed again. */
export async function getInterpreting(
  tx: Transaction,
  endpointId: EndpointId,
): Promise<Pick<Endpoint, 'settings' | 'programId'>> {
  const row = await tx.get<{ processor: Processor; settings: string; programId: ProgramId | null }>(
    'SELECT processor, settings, program_id AS "programId" FROM webhook_endpoints WHERE id = @endpointId',
    { endpointId },
  );
  if (!row) throw new Error(`Endpoint ${endpointId} of a stored delivery is missing`);
  return { settings: readSettings(row), programId: row.programId };
}

function asParameters(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    accountId: endpoint.accountId,
    programId: endpoint.programId,
    processor: endpoint.processor,
    settings: JSON.stringify(endpoint.settings),
    sealedSecrets: endpoint.sealedSecrets,
    secretCounts: JSON.stringify(endpoint.secretCounts),
    createdAt: endpoint.createdAt,
  };
}

function asEndpoint<Of extends Endpoint>(row: Row<Of>) {
  return { ...row, settings: readSettings(row), secretCounts: JSON.parse(row.secretCounts) as Record<string, number> };
}

function readSettings({ processor, settings }: { processor: Processor; settings: string }): EndpointSettings {
  return declarations[processor].settings.parse(JSON.parse(settings));
}
