import type { AccountId, EventEndpointId, PaymentId, SaleId } from '../../core/ids.ts';
import { UNDECIDED_DUE_AT } from '../../core/ledger.ts';
import { HOUR_MS } from '../../core/time.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyRows } from '../../storage/many-rows.ts';

/** A sale whose approval event is scheduled. A type, not an interface, so that it can serve as a row of parameters. */
export type Approval = {
  accountId: AccountId;
  saleId: SaleId;
  /** Epoch milliseconds. */
  dueAt: number;
};

export const insertApprovals = manyRows<keyof Approval>({
  before: 'INSERT INTO event_approvals (account_id, sale_id, due_at) VALUES',
  names: ['accountId', 'saleId', 'dueAt'],
  after: 'ON CONFLICT (account_id, sale_id) DO NOTHING',
});

/** Schedules another check of a sale that could not be approved when its approval was due. */
export function wakeApproval(tx: Transaction, { accountId, saleId, dueAt }: Approval) {
  return tx.run(
    `UPDATE event_approvals SET due_at = @dueAt
     WHERE account_id = @accountId AND sale_id = @saleId AND due_at IS NULL`,
    { accountId, saleId, dueAt },
  );
}

/** Sales of any account whose approval is due, longest overdue first. */
export function findDueApprovals(tx: Transaction, now: number, limit: number) {
  return tx.all<{ accountId: AccountId; saleId: SaleId; paymentId: PaymentId | null }>(
    `SELECT a.account_id AS "accountId", a.sale_id AS "saleId",
       (SELECT s.payment_id FROM sales s WHERE s.account_id = a.account_id AND s.id = a.sale_id) AS "paymentId"
     FROM event_approvals a WHERE a.due_at IS NOT NULL AND a.due_at <= @now ORDER BY a.due_at LIMIT @limit`,
    { now, limit },
  );
}

/** Takes a due approval, which is then no longer due. Returns false when another unit was faster. */
export async function takeApproval(tx: Transaction, accountId: AccountId, saleId: SaleId, now: number) {
  const changed = await tx.run(
    `UPDATE event_approvals SET due_at = NULL
     WHERE account_id = @accountId AND sale_id = @saleId AND due_at <= @now`,
    { accountId, saleId, now },
  );
  return changed === 1;
}

export function deleteApproval(tx: Transaction, accountId: AccountId, saleId: SaleId) {
  return tx.run('DELETE FROM event_approvals WHERE account_id = @accountId AND sale_id = @saleId', {
    accountId,
    saleId,
  });
}

/** Longer than any unit of work takes that began before the endpoint was known. */
const LATE_MS = 60_000;
const SECOND = 'second ';
const secondAt = (at: number) => `${SECOND}${at}`;

/**
 * The id of the last sale that was scheduled, or '' at the beginning. How far an endpoint's sales are scheduled is this
 * id alone the first time; afterwards, `second ` with the time from which to look again, and then with the id.
 */
export function placeOf(progress: string): string {
  const place = progress.startsWith(SECOND) ? progress.slice(SECOND.length) : progress;
  return place.startsWith('sal_') ? place : '';
}

/** @param lastId the last sale of a slice; null when no other follows */
export function progressAfter(from: string, lastId: string | null, now: number): string | null {
  const isSecond = from.startsWith(SECOND);
  if (lastId === null) return isSecond ? null : secondAt(now + LATE_MS);
  return isSecond ? SECOND + lastId : lastId;
}

/**
 * Endpoints for which sales on hold have to be scheduled now. A time that is more than an hour ahead was set by a clock
 * that was wrong.
 */
export function findUnnoted(tx: Transaction, now: number, limit: number) {
  return tx.all<{ id: EventEndpointId; accountId: AccountId; progress: string }>(
    `SELECT e.id, e.account_id AS "accountId", e.approvals_after AS "progress" FROM event_endpoints e
     WHERE e.approvals_after IS NOT NULL AND NOT (e.approvals_after > @now AND e.approvals_after < @far)
     ORDER BY e.id LIMIT @limit`,
    { now: secondAt(now), far: secondAt(now + HOUR_MS), limit },
  );
}

/**
 * Saves how far the endpoint's sales are scheduled; null when all are. Returns false when another process has moved it in
 * the meantime.
 */
export async function moveUnnoted(
  tx: Transaction,
  { id, from, to }: { id: EventEndpointId; from: string; to: string | null },
): Promise<boolean> {
  const changed = await tx.run(
    'UPDATE event_endpoints SET approvals_after = @to WHERE id = @id AND approvals_after = @from',
    { id, from, to },
  );
  return changed === 1;
}

/** The account's sales after an id whose commission is not due at `now`. An undecided review counts as not due. */
export function findOnHold(
  tx: Transaction,
  accountId: AccountId,
  { afterId, now, limit }: { afterId: string; now: number; limit: number },
) {
  return tx.all<Approval>(
    `SELECT o.account_id AS "accountId", o.sale_id AS "saleId",
       CASE WHEN o.due_at = @undecidedAt THEN @now ELSE o.due_at END AS "dueAt"
     FROM open_entries o
     WHERE o.account_id = @accountId AND o.kind = 'commission' AND o.sale_id > @afterId AND o.due_at > @now
     ORDER BY o.sale_id LIMIT @limit`,
    { accountId, afterId, now, limit, undecidedAt: UNDECIDED_DUE_AT },
  );
}
