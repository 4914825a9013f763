import type { AccountId, ReconciliationId } from '../../core/ids.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Transaction } from '../../storage/database.ts';

export type Lease = { id: ReconciliationId; leasedBy: string };

export type Due = {
  now: number;
  /** Nothing is due later than this, and no lease is longer: a later time is of a wrong clock, and counts for nothing. */
  far: number;
};

const IS_DUE = `r.ended_at IS NULL AND (r.due_at <= @now OR r.due_at > @far)
  AND (r.leased_until IS NULL OR r.leased_until <= @now OR r.leased_until > @far)`;

type DueSearch = Due & {
  /** Accounts of which as many are being read are left out. Processes that look at once may exceed it by one each. */
  pagesMax: number;
  limit: number;
};

/**
 * Reconciliations of any account that nobody reads now. First come the accounts of which the fewest are being read, then those
 * whose last page is the longest ago, and then what waits longest, so that many of one account do not hold up another.
 */
export function findDue(tx: Transaction, search: DueSearch) {
  return tx.all<{ id: ReconciliationId }>(
    `SELECT r.id FROM reconciliations r JOIN (
       SELECT o.account_id AS account_id,
         SUM(CASE WHEN o.leased_until > @now AND o.leased_until <= @far THEN 1 ELSE 0 END) AS being_read,
         MAX(CASE WHEN o.due_at <= @now THEN o.due_at ELSE 0 END) AS read_at
       FROM reconciliations o WHERE o.ended_at IS NULL GROUP BY o.account_id
     ) a ON a.account_id = r.account_id
     WHERE ${IS_DUE} AND a.being_read < @pagesMax
     ORDER BY a.being_read, a.read_at, r.due_at, r.id LIMIT @limit`,
    search,
  );
}

/** As `findDue`, of one account. */
export function findDueOfAccount(tx: Transaction, accountId: AccountId, search: DueSearch) {
  return tx.all<{ id: ReconciliationId }>(
    `SELECT r.id FROM reconciliations r
     WHERE r.account_id = @accountId AND ${IS_DUE} AND (
       SELECT COUNT(*) FROM reconciliations o
       WHERE o.account_id = @accountId AND o.ended_at IS NULL AND o.leased_until > @now AND o.leased_until <= @far
     ) < @pagesMax
     ORDER BY r.due_at, r.id LIMIT @limit`,
    { ...search, accountId },
  );
}

/** Leases a reconciliation; undefined when another process was faster, or it was canceled. */
export function leaseRow(tx: Transaction, lease: Lease & Due & { leasedUntil: number }) {
  return tx.get<{ accountId: string }>(
    `UPDATE reconciliations AS r SET status = 'running', started_at = COALESCE(r.started_at, @now),
       leased_by = @leasedBy, leased_until = @leasedUntil
     WHERE r.id = @id AND ${IS_DUE} RETURNING account_id AS "accountId"`,
    lease,
  );
}

const IS_OWN = 'id = @id AND leased_by = @leasedBy AND ended_at IS NULL';

/** Extends the lease; 0 when the reconciliation was canceled, or belongs to another process. */
export function renewLease(tx: Transaction, lease: Lease & { leasedUntil: number }): Promise<number> {
  return tx.run(`UPDATE reconciliations SET leased_until = @leasedUntil WHERE ${IS_OWN}`, lease);
}

const COLUMN_OF: Partial<Record<Outcome, string>> = {
  sale: 'sale_count',
  reversal: 'reversal_count',
  unattributed: 'unattributed_count',
  failed: 'failed_count',
};

/** Counts what was missing, as read, too: then the counts add up at any time. */
export async function countMissing(tx: Transaction, id: ReconciliationId, outcome: Outcome): Promise<void> {
  const column = COLUMN_OF[outcome] ?? 'other_count';
  await tx.run(`UPDATE reconciliations SET ${column} = ${column} + 1, read_count = read_count + 1 WHERE id = @id`, {
    id,
  });
}

export type PageEnd = Lease & {
  /** Of this page. */
  knownCount: number;
  ignoredCount: number;
  /** Where the next page begins; null after the last. */
  cursor: string | null;
  pageCount: number;
  markedCursor: string | null;
  /** Of this page and those before, as JSON. */
  notRead: string;
  now: number;
};

/** Ends a page, and the reconciliation after its last one; 0 when it was canceled, or belongs to another process. */
export function endPage(tx: Transaction, end: PageEnd): Promise<number> {
  return tx.run(
    `UPDATE reconciliations SET read_count = read_count + @knownCount + @ignoredCount,
       known_count = known_count + @knownCount, ignored_count = ignored_count + @ignoredCount,
       cursor = @cursor, page_count = @pageCount, marked_cursor = @markedCursor, not_read = @notRead,
       error = NULL, failures = 0, due_at = @now,
       status = CASE WHEN @isLast = 1 THEN 'completed' ELSE status END,
       ended_at = CASE WHEN @isLast = 1 THEN @now ELSE ended_at END,
       leased_by = NULL, leased_until = NULL
     WHERE ${IS_OWN}`,
    { ...end, isLast: end.cursor === null ? 1 : 0 },
  );
}

/** Releases a reconciliation, to read the same page again at `dueAt`. */
export function postpone(
  tx: Transaction,
  release: Lease & { dueAt: number; error: string | null; failures: number },
): Promise<number> {
  return tx.run(
    `UPDATE reconciliations SET status = 'waiting', due_at = @dueAt, error = @error, failures = @failures,
       leased_by = NULL, leased_until = NULL
     WHERE ${IS_OWN}`,
    release,
  );
}

export function failRow(tx: Transaction, end: Lease & { error: string; now: number }): Promise<number> {
  return tx.run(
    `UPDATE reconciliations SET status = 'failed', error = @error, cursor = NULL, marked_cursor = NULL, ended_at = @now,
       leased_by = NULL, leased_until = NULL
     WHERE ${IS_OWN}`,
    end,
  );
}
