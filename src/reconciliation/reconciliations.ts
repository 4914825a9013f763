import { declarations } from '../../adapters/settings.ts';
import { requireAllowedApi } from '../app/allowed-address.ts';
import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import { type Page, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { type AuditedActor, actorName } from '../core/actor.ts';
import type { AccountId } from '../core/ids.ts';
import { requireEndpoint } from '../deliveries/endpoints.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import type { PageBounds } from '../storage/list-filters.ts';
import { findItems } from './queries/items.ts';
import {
  cancelRow,
  findReconciliation,
  findReconciliations,
  findReconciliationsOf,
  findUnderWay,
  insertReconciliation,
  type ReconciliationRow,
} from './queries/reconciliations.ts';
import { requireBackfill } from './require-backfill.ts';
import { reconciliationDetail, reconciliationResource } from './resources.ts';
import {
  ITEMS_SHOWN_MAX,
  type ReconciliationDetail,
  type ReconciliationInput,
  type ReconciliationListQuery,
  type ReconciliationResource,
} from './schemas.ts';

/**
 * Adds a reconciliation of an endpoint; a server process starts it within a second.
 *
 * @throws ServiceError `NOT_FOUND`; `VALIDATION_ERROR`; `CONFLICT` while another one of the endpoint is under way;
 *   `INVALID_STATE` when the processor's API has no list of the past, or the endpoint no access token for it
 */
export async function createReconciliation(
  service: Service,
  { accountId, actor }: { accountId: AccountId; actor: AuditedActor },
  endpointId: string,
  { since, dryRun }: ReconciliationInput,
): Promise<ReconciliationDetail> {
  const { database, clock } = service;
  return database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.endpoint(endpointId)]);
      const endpoint = await requireEndpoint(tx, accountId, endpointId);
      const { apiUrl } = requireBackfill(service, endpoint);
      requireAllowedApi(service, apiUrl, 'apiUrl', declarations[endpoint.processor].apiHosts);
      const createdAt = clock();
      if (since >= createdAt) throw validationError([{ path: 'since', message: 'must be in the past' }]);
      await requireNoneUnderWay(tx, endpoint.id);
      const id = createId('rec');
      const by = { actorId: actorName(actor), actorName: actor.name };
      const added = { id, accountId, endpointId: endpoint.id, since, dryRun: dryRun ? 1 : 0, ...by, createdAt };
      await insertReconciliation(tx, added);
      const created = reconciliationDetail(await requireReconciliation(tx, accountId, id), []);
      noteChange(tx, { resourceId: endpoint.id, after: { reconciliationId: id, since: created.since, dryRun } });
      return created;
    },
    { alone: true },
  );
}

async function requireNoneUnderWay(tx: Transaction, endpointId: ReconciliationRow['endpointId']): Promise<void> {
  const other = await findUnderWay(tx, endpointId);
  if (other === undefined) return;
  throw new ServiceError(
    'CONFLICT',
    `The reconciliation ${other.id} of this endpoint is under way (${other.status}): wait until it ends, or cancel it ` +
      `(in the API: POST /api/reconciliations/${other.id}/cancel)`,
  );
}

/** One page of the account's reconciliations, or of those of one endpoint, the newest first. */
export function listReconciliations(
  { database }: Service,
  accountId: AccountId,
  { endpointId, ...page }: ReconciliationListQuery,
): Promise<Page<ReconciliationResource>> {
  return database.read((tx) => {
    const find = (bounds: PageBounds) =>
      endpointId === null
        ? findReconciliations(tx, accountId, bounds)
        : findReconciliationsOf(tx, accountId, endpointId, bounds);
    return pageOf(page, find, reconciliationResource);
  });
}

/** @throws ServiceError `NOT_FOUND` */
export function getReconciliation(
  { database }: Service,
  accountId: AccountId,
  id: string,
): Promise<ReconciliationDetail> {
  return database.read((tx) => detailOf(tx, accountId, id));
}

/**
 * Ends a reconciliation within seconds. What it has stored stays.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when it has ended
 */
export function cancelReconciliation(
  { database, clock }: Service,
  accountId: AccountId,
  id: string,
): Promise<ReconciliationDetail> {
  return database.write(
    async (tx) => {
      const { id: rowId, endpointId, status } = await requireReconciliation(tx, accountId, id);
      await tx.claim(() => [claimKeys.endpoint(endpointId)]);
      if ((await cancelRow(tx, rowId, clock())) === 0) {
        throw new ServiceError(
          'INVALID_STATE',
          `The reconciliation ${id} has ended (${status}): there is nothing to cancel`,
        );
      }
      noteChange(tx, { resourceId: rowId, before: { status }, after: { status: 'canceled' } });
      return detailOf(tx, accountId, id);
    },
    { alone: true },
  );
}

async function detailOf(tx: Transaction, accountId: AccountId, id: string): Promise<ReconciliationDetail> {
  const row = await requireReconciliation(tx, accountId, id);
  return reconciliationDetail(row, await findItems(tx, row.id, ITEMS_SHOWN_MAX));
}

async function requireReconciliation(tx: Transaction, accountId: AccountId, id: string): Promise<ReconciliationRow> {
  const row = await findReconciliation(tx, accountId, id);
  if (row === undefined) throw notFound('reconciliation', id);
  return row;
}
