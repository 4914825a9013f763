import type { AccountId, EventEndpointId, EventId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/**
 * The next account, in id order, that has events or an event endpoint, which may have been deleted. Each step is two index
 * lookups.
 */
export async function findNextAccount(tx: Transaction, afterId: string): Promise<AccountId | undefined> {
  const row = await tx.get<{ id: AccountId | null }>(
    `SELECT MIN(next.id) AS id FROM (
       SELECT (SELECT v.account_id FROM events v WHERE v.account_id > @afterId ORDER BY v.account_id LIMIT 1) AS id
       UNION ALL
       SELECT (SELECT e.account_id FROM event_endpoints e WHERE e.account_id > @afterId ORDER BY e.account_id LIMIT 1)
     ) next`,
    { afterId },
  );
  return row?.id ?? undefined;
}

/** The first events of an account before an id, in id order. */
export async function findOldEvents(tx: Transaction, accountId: AccountId, beforeId: string, limit: number) {
  const rows = await tx.all<{ id: EventId }>(
    `SELECT v.id FROM events v WHERE v.account_id = @accountId AND v.id < @beforeId ORDER BY v.id LIMIT @limit`,
    { accountId, beforeId, limit },
  );
  return rows.map(({ id }) => id);
}

/** Every endpoint that the account has or ever had. */
export async function findAllEndpointIds(tx: Transaction, accountId: AccountId): Promise<EventEndpointId[]> {
  const rows = await tx.all<{ id: EventEndpointId }>(
    'SELECT e.id FROM event_endpoints e WHERE e.account_id = @accountId ORDER BY e.id',
    { accountId },
  );
  return rows.map(({ id }) => id);
}

/** The last event before an id that has a record of being sent to an endpoint of the account. */
export async function findOldSent(
  tx: Transaction,
  accountId: AccountId,
  beforeId: string,
): Promise<EventId | undefined> {
  const row = await tx.get<{ id: EventId | null }>(
    `SELECT MAX(sent.id) AS id FROM (SELECT (SELECT MAX(d.event_id) FROM event_deliveries d
         WHERE d.endpoint_id = e.id AND d.event_id < @beforeId) AS id
       FROM event_endpoints e WHERE e.account_id = @accountId) sent`,
    { accountId, beforeId },
  );
  return row?.id ?? undefined;
}

/** Deletes the events of an account up to an id. */
export function deleteEvents(tx: Transaction, accountId: AccountId, lastId: EventId) {
  return tx.run('DELETE FROM events WHERE account_id = @accountId AND id <= @lastId', { accountId, lastId });
}

/** Deletes the records of sending events up to an id to an endpoint. */
export async function deleteSent(tx: Transaction, endpointId: EventEndpointId, lastId: EventId): Promise<void> {
  const range = { endpointId, lastId };
  await tx.run('DELETE FROM event_deliveries WHERE endpoint_id = @endpointId AND event_id <= @lastId', range);
  await tx.run('DELETE FROM event_attempts WHERE endpoint_id = @endpointId AND event_id <= @lastId', range);
}
