import { randomUUID } from 'node:crypto';
import type { ScanPosition } from '../../app/scan-marks.ts';
import type { AccountId, EventId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** The job that scans events for persons who were erased. */
const JOB = 'erase persons in events';

/** An account whose events are to be scanned, and the event up to which they were. */
export interface EventSweep extends ScanPosition {
  accountId: AccountId;
}

/** Restarts the scan of all events of the account. */
export function restartSweep(tx: Transaction, accountId: AccountId) {
  return tx.run(
    `INSERT INTO job_cursors (job, account_id, last_id, restart_id) VALUES (@job, @accountId, '', @restartId)
     ON CONFLICT (job, account_id) DO UPDATE SET last_id = '', restart_id = excluded.restart_id`,
    { job: JOB, accountId, restartId: randomUUID() },
  );
}

export function findSweeps(tx: Transaction) {
  return tx.all<EventSweep>(
    `SELECT account_id AS "accountId", last_id AS "lastId", restart_id AS "restartId" FROM job_cursors
     WHERE job = @job`,
    { job: JOB },
  );
}

/** Saves the position reached. Returns false when another unit has moved it, or restarted the scan, in the meantime. */
export async function moveSweep(tx: Transaction, sweep: EventSweep, toId: string): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE job_cursors SET last_id = @toId
     WHERE job = @job AND account_id = @accountId AND last_id = @lastId AND restart_id = @restartId`,
    { job: JOB, ...sweep, toId },
  );
  return changed === 1;
}

/** Ends the scan, like `moveSweep` with nothing left to scan. */
export async function endSweep(tx: Transaction, sweep: EventSweep): Promise<boolean> {
  const changed = await tx.run(
    `DELETE FROM job_cursors
     WHERE job = @job AND account_id = @accountId AND last_id = @lastId AND restart_id = @restartId`,
    { job: JOB, ...sweep },
  );
  return changed === 1;
}

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
