import type { AccountId, EventEndpointId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PageBounds } from '../../storage/list-filters.ts';

export type EventEndpointKind = 'webhook' | 'listener';

/** A URL that events are sent to, or a listener that fetches them for a while. */
export interface EventEndpoint {
  id: EventEndpointId;
  accountId: AccountId;
  kind: EventEndpointKind;
  /** Empty for a listener. */
  url: string;
  description: string | null;
  /** ` sale.created sale.refunded `: each type between two spaces. */
  types: string;
  /** Null for a listener, and for an endpoint whose secrets an import left out. */
  sealedSecrets: Buffer | null;
  status: 'enabled' | 'disabled';
  disabledReason: string | null;
  disabledAt: number | null;
  createdAt: number;
}

export interface EventEndpointState extends EventEndpoint {
  /** Since when every attempt has failed; null after a success. */
  failingSince: number | null;
  lastSuccessAt: number | null;
}

const COLUMNS = `e.id, e.account_id AS "accountId", e.kind, e.url, e.description, e.types,
  e.sealed_secrets AS "sealedSecrets", e.status, e.disabled_reason AS "disabledReason", e.disabled_at AS "disabledAt",
  e.created_at AS "createdAt", e.failing_since AS "failingSince", e.last_success_at AS "lastSuccessAt"`;

/** The current subscribers to an account's events. */
export function findSubscribers(tx: Transaction, accountId: AccountId) {
  return tx.all<Pick<EventEndpoint, 'id' | 'kind' | 'types'>>(
    `SELECT e.id, e.kind, e.types FROM event_endpoints e
     WHERE e.account_id = @accountId AND e.status <> 'deleted' AND e.status = 'enabled'`,
    { accountId },
  );
}

/** @param approvalsAfter '' when sales on hold must be scheduled for `sale.approved`, otherwise null */
export function insertEventEndpoint(tx: Transaction, endpoint: EventEndpoint, approvalsAfter: string | null) {
  return tx.run(
    `INSERT INTO event_endpoints (id, account_id, kind, url, description, types, sealed_secrets, status, created_at,
       failures, seen_at, approvals_after)
     VALUES (@id, @accountId, @kind, @url, @description, @types, @sealedSecrets, @status, @createdAt, 0, @createdAt,
       @approvalsAfter)`,
    { ...endpoint, approvalsAfter },
  );
}

/** The encrypted secrets of up to `limit` endpoints of any account; those that earlier versions gave listeners sign nothing. */
export async function findSealedEventSecrets(tx: Transaction, limit: number): Promise<Buffer[]> {
  const rows = await tx.all<{ sealedSecrets: Buffer }>(
    `SELECT sealed_secrets AS "sealedSecrets" FROM event_endpoints
     WHERE kind = 'webhook' AND sealed_secrets IS NOT NULL LIMIT @limit`,
    { limit },
  );
  return rows.map(({ sealedSecrets }) => sealedSecrets);
}

/** Marks the lease of a process that must read the endpoint again. Until it has, or the lease ends, no other process sends. */
export const CHANGED = 'changed ';

/**
 * Updates the members that a person may change. If that concerns a process that is sending to the endpoint, it stops and
 * reads it again. An endpoint that is enabled again, or gets another URL, starts as if it had never failed.
 *
 * @param newSecrets null leaves those that are stored, which `reencrypt` may be replacing
 */
export function updateEventEndpoint(
  tx: Transaction,
  endpoint: Omit<EventEndpoint, 'sealedSecrets'>,
  { approvalsAfter, newSecrets }: { approvalsAfter: string | null; newSecrets: Buffer | null },
) {
  return tx.run(
    `UPDATE event_endpoints SET url = @url, description = @description, types = @types,
       sealed_secrets = COALESCE(@newSecrets, sealed_secrets),
       failures = CASE WHEN status = @status AND url = @url THEN failures ELSE 0 END,
       failing_since = CASE WHEN status = @status AND url = @url THEN failing_since ELSE NULL END,
       paused_until = CASE WHEN status = @status AND url = @url THEN paused_until ELSE NULL END,
       leased_by = CASE WHEN leased_by LIKE '${CHANGED}%'
         OR (status = @status AND url = @url AND @newSecrets IS NULL) THEN leased_by
         ELSE '${CHANGED}' || leased_by END,
       status = @status, disabled_reason = @disabledReason, disabled_at = @disabledAt,
       approvals_after = COALESCE(@approvalsAfter, approvals_after)
     WHERE id = @id AND account_id = @accountId AND status <> 'deleted'`,
    { ...endpoint, approvalsAfter, newSecrets },
  );
}

/** Marks an endpoint as deleted and removes its secrets. Returns false when there is none. */
export async function deleteEventEndpointRow(tx: Transaction, accountId: AccountId, id: string): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE event_endpoints SET status = 'deleted', sealed_secrets = NULL, approvals_after = NULL
     WHERE id = @id AND account_id = @accountId AND status <> 'deleted'`,
    { accountId, id },
  );
  return changed === 1;
}

/** Undefined for a listener, too. */
export function findEventEndpoint(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<EventEndpointState>(
    `SELECT ${COLUMNS} FROM event_endpoints e
     WHERE e.account_id = @accountId AND e.status <> 'deleted' AND e.id = @id AND e.kind = 'webhook'`,
    { accountId, id },
  );
}

/** Newest first, without listeners and deleted ones. */
export function findEventEndpoints(tx: Transaction, accountId: AccountId, { limit, beforeId }: PageBounds) {
  return tx.all<EventEndpointState>(
    `SELECT ${COLUMNS} FROM event_endpoints e
     WHERE e.account_id = @accountId AND e.status <> 'deleted' AND e.id < @beforeId AND e.kind = 'webhook'
     ORDER BY e.id DESC LIMIT @limit`,
    { accountId, beforeId, limit },
  );
}
