import type { SentEventType } from '../../core/event.ts';
import type { AccountId, EventEndpointId, EventId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyIds } from '../../storage/many-ids.ts';

/** Reads and locks a listener that has not ended, so that it cannot end before this unit does. */
export function touchListener(tx: Transaction, accountId: AccountId, id: string, now: number) {
  return tx.get<{ id: EventEndpointId; types: string }>(
    `UPDATE event_endpoints SET seen_at = @now
     WHERE id = @id AND account_id = @accountId AND kind = 'listener' AND status = 'enabled'
     RETURNING id, types`,
    { accountId, id, now },
  );
}

const EVENTS_PER_FETCH = 100;

/** The first events that a listener has not confirmed, oldest first. */
export function findUnreceived(tx: Transaction, listenerId: EventEndpointId) {
  // the limit is written out for the plan on PostgreSQL: see PLANS_FOR_ANY_VALUES
  return tx.all<{ id: EventId; type: SentEventType; body: string }>(
    `SELECT v.id, v.type, v.body
     FROM (SELECT d.event_id, d.account_id FROM event_deliveries d
       WHERE d.endpoint_id = @listenerId ORDER BY d.event_id LIMIT ${EVENTS_PER_FETCH}) page
     JOIN events v ON v.account_id = page.account_id AND v.id = page.event_id
     ORDER BY page.event_id`,
    { listenerId },
  );
}

const deleteRows = manyIds<never>(
  (list) => `DELETE FROM event_deliveries WHERE endpoint_id = @listenerId AND event_id IN ${list}
    RETURNING event_id`,
);

/** Deletes the events that a listener has confirmed. */
export async function deleteReceived(tx: Transaction, listenerId: EventEndpointId, eventIds: readonly string[]) {
  if (eventIds.length > 0) await deleteRows(tx, eventIds, { listenerId });
}

/** Deletes the first events that wait for a listener, and returns how many they were. */
export function deleteUnreceived(tx: Transaction, listenerId: EventEndpointId, limit: number): Promise<number> {
  return tx.run(
    `DELETE FROM event_deliveries WHERE endpoint_id = @listenerId AND event_id IN (
       SELECT d.event_id FROM event_deliveries d WHERE d.endpoint_id = @listenerId ORDER BY d.event_id LIMIT @limit)`,
    { listenerId, limit },
  );
}

/** Unlike an endpoint, a listener is deleted without a trace. */
export function deleteListenerRow(tx: Transaction, id: EventEndpointId) {
  return tx.run('DELETE FROM event_endpoints WHERE id = @id', { id });
}

/** Listeners of any account that have not fetched since a time. */
export function findSilentListeners(tx: Transaction, before: number, limit: number) {
  return tx.all<{ id: EventEndpointId; accountId: AccountId }>(
    `SELECT e.id, e.account_id AS "accountId" FROM event_endpoints e
     WHERE e.status = 'enabled' AND e.kind = 'listener' AND e.seen_at < @before ORDER BY e.seen_at, e.id LIMIT @limit`,
    { before, limit },
  );
}

/** Listeners of an account that have not ended. */
export async function countListeners(tx: Transaction, accountId: AccountId): Promise<number> {
  const row = await tx.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM event_endpoints e
     WHERE e.account_id = @accountId AND e.status <> 'deleted' AND e.kind = 'listener'`,
    { accountId },
  );
  return row?.count ?? 0;
}
