import type { AccountId, EventEndpointId, EventId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

export interface AttemptRow {
  endpointId: EventEndpointId;
  eventId: EventId;
  attemptedAt: number;
  durationMs: number;
  responseStatus: number | null;
  error: string | null;
  response: string | null;
}

/** Stores the attempt. Its number is the count of all attempts so far, including this one. */
export async function insertAttempt(tx: Transaction, attempt: AttemptRow): Promise<void> {
  await tx.run(
    `INSERT INTO event_attempts
       (endpoint_id, event_id, number, attempted_at, duration_ms, response_status, error, response)
     SELECT @endpointId, @eventId, d.attempts, @attemptedAt, @durationMs, @responseStatus, @error, @response
     FROM event_deliveries d WHERE d.endpoint_id = @endpointId AND d.event_id = @eventId
     ON CONFLICT DO NOTHING`,
    { ...attempt },
  );
}

/** Whether an event still has this body. Until the unit ends, nobody replaces it. */
export async function hasBody(tx: Transaction, accountId: AccountId, event: { id: EventId; body: string }) {
  const found = await tx.get(
    `SELECT 1 AS one FROM events WHERE account_id = @accountId AND id = @id AND body = @body /* postgres: FOR SHARE */`,
    { accountId, ...event },
  );
  return found !== undefined;
}
