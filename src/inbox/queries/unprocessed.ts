import type { DeliveryStatus } from '../../core/delivery.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

export interface StatusCount {
  status: Exclude<DeliveryStatus, 'processed'>;
  count: number;
  /** The reason of the newest delivery with this status. */
  reason: string | null;
}

// `status <> 'processed'` is, word for word, the condition of the partial index that serves these queries.
const COUNTS = `
  SELECT counts.status, counts.count,
    (SELECT d.reason FROM deliveries d WHERE d.account_id = @accountId AND d.id = counts."newestId") AS reason
  FROM (SELECT status, COUNT(*) AS count, MAX(id) AS "newestId" FROM deliveries
    WHERE account_id = @accountId AND status <> 'processed' GROUP BY status) counts`;

/** The number of unprocessed deliveries by status. A status without deliveries is missing. */
export function countUnprocessed(tx: Transaction, accountId: AccountId) {
  return tx.all<StatusCount>(COUNTS, { accountId });
}

/**
 * The number of the account's attempts that were due before `dueBefore` (epoch ms), and the reason of the newest
 * delivery.
 */
export function countOverdue(tx: Transaction, accountId: AccountId, dueBefore: number) {
  // The concatenation makes SQLite search the few due deliveries instead of the account's whole history.
  return tx.get<{ count: number; reason: string | null }>(
    `SELECT counts.count,
       (SELECT d.reason FROM deliveries d WHERE d.account_id = @accountId AND d.id = counts."newestId") AS reason
     FROM (SELECT COUNT(*) AS count, MAX(id) AS "newestId" FROM deliveries
       WHERE next_attempt_at IS NOT NULL AND next_attempt_at < @dueBefore AND account_id || '' = @accountId
         AND status = 'failed') counts`,
    { accountId, dueBefore },
  );
}
