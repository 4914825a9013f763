import type { AccountId, DeliveryId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

const JOB = 'delete old bodies';
/** The job of `erase-bodies.ts`, which also skips deliveries that are not processed yet. */
export const ERASURE_JOB = 'erase bodies';

/** The first `limit` deliveries of one account with ids between these two. */
export interface DeliveryRange {
  accountId: AccountId;
  afterId: string;
  beforeId: string;
  limit: number;
}

/** A delivery, and the number of bytes that deleting its body frees; 0 when there is nothing to delete. */
export interface BodySize {
  id: DeliveryId;
  bytes: number;
}

/**
 * The id up to which the bodies of an account's processed deliveries have been deleted; undefined before the first run.
 */
export async function findCursor(tx: Transaction, accountId: AccountId): Promise<string | undefined> {
  const sql = 'SELECT last_id AS "lastId" FROM job_cursors WHERE job = @job AND account_id = @accountId';
  return (await tx.get<{ lastId: string }>(sql, { job: JOB, accountId }))?.lastId;
}

export function insertCursor(tx: Transaction, accountId: AccountId, lastId: string) {
  return tx.run(
    'INSERT INTO job_cursors (job, account_id, last_id) VALUES (@job, @accountId, @lastId) ON CONFLICT DO NOTHING',
    { job: JOB, accountId, lastId },
  );
}

/**
 * Moves the cursor. Returns false when another unit has moved it in the meantime. Locks the cursor, so call it before
 * reading what depends on it.
 */
export async function moveCursor(
  tx: Transaction,
  accountId: AccountId,
  fromId: string,
  toId: string,
): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE job_cursors SET last_id = @toId
     WHERE job = @job AND account_id = @accountId AND last_id = @fromId`,
    { job: JOB, accountId, fromId, toId },
  );
  return changed === 1;
}

/**
 * Moves the cursors of all jobs on bodies back to before this delivery if they have passed it. Always locks them, so
 * that no cursor can pass the delivery before this unit is committed.
 */
export function rewindCursor(tx: Transaction, accountId: AccountId, deliveryId: DeliveryId) {
  return tx.run(
    `UPDATE job_cursors SET last_id = CASE WHEN last_id >= @deliveryId THEN @beforeId ELSE last_id END
     WHERE job IN (@job, @erasing) AND account_id = @accountId`,
    // a prefix of an id sorts before the id
    { job: JOB, erasing: ERASURE_JOB, accountId, deliveryId, beforeId: deliveryId.slice(0, -1) },
  );
}

/** In id order. */
export function findBodySizes(tx: Transaction, range: DeliveryRange) {
  return tx.all<BodySize>(
    `SELECT id, CASE WHEN body IS NULL OR status <> 'processed' THEN 0 ELSE LENGTH(body) END AS bytes FROM deliveries
     WHERE account_id = @accountId AND id > @afterId AND id < @beforeId
     ORDER BY id LIMIT @limit`,
    { ...range },
  );
}

/** Deliveries without bodies, one after the other. */
export interface EmptyStretch {
  /** Null when the first delivery of the range has a body, or there is none. */
  lastId: string | null;
  deliveries: number;
}

/**
 * Those at the start of the range. A body that has been deleted never returns. MATERIALIZED, because PostgreSQL, where it
 * expects few deliveries, would otherwise look for the first body once per delivery.
 */
export async function findEmptyStretch(tx: Transaction, range: DeliveryRange): Promise<EmptyStretch> {
  const stretch = await tx.get<EmptyStretch>(
    `WITH looked AS (
       SELECT id, CASE WHEN body IS NULL THEN 0 ELSE 1 END AS filled FROM deliveries
       WHERE account_id = @accountId AND id > @afterId AND id < @beforeId ORDER BY id LIMIT @limit
     ), first_body AS MATERIALIZED (SELECT MIN(id) AS id FROM looked WHERE filled = 1)
     SELECT MAX(l.id) AS "lastId", COUNT(*) AS deliveries FROM looked l CROSS JOIN first_body f
     WHERE f.id IS NULL OR l.id < f.id`,
    { ...range },
  );
  return stretch ?? { lastId: null, deliveries: 0 };
}

/** Deletes the bodies of processed deliveries after one id, up to and including another. Returns their number. */
export function deleteBodies(tx: Transaction, accountId: AccountId, afterId: string, lastId: string) {
  return tx.run(
    `UPDATE deliveries SET body = NULL
     WHERE account_id = @accountId AND id > @afterId AND id <= @lastId AND body IS NOT NULL AND status = 'processed'`,
    { accountId, afterId, lastId },
  );
}
