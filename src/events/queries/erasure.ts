import type { AccountId, EventId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** The events after an id, in order. */
export function findEventPart(tx: Transaction, accountId: AccountId, afterId: string, limit: number) {
  return tx.all<{ id: EventId; body: string }>(
    `SELECT v.id, v.body FROM events v WHERE v.account_id = @accountId AND v.id > @afterId ORDER BY v.id LIMIT @limit`,
    { accountId, afterId, limit },
  );
}

/**
 * Replaces the body of an event and deletes the endpoints' responses to it. The body is signed anew at each attempt.
 */
export async function replaceBody(
  tx: Transaction,
  accountId: AccountId,
  event: { id: EventId; body: string },
): Promise<void> {
  await tx.run('UPDATE events SET body = @body WHERE account_id = @accountId AND id = @id', { accountId, ...event });
  await tx.run(
    `UPDATE event_attempts SET response = NULL
     WHERE event_id = @id AND endpoint_id IN (SELECT e.id FROM event_endpoints e WHERE e.account_id = @accountId)`,
    { accountId, id: event.id },
  );
}
