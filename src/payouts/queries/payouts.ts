import type { AccountId, PartnerId, PayoutId, ProgramId } from '../../core/ids.ts';
import type { PayoutEnd, PayoutStatus } from '../../core/payout.ts';
import { clampedSum } from '../../storage/conditions/safe-sums.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PayoutSum } from './queued.ts';

export interface EndedPayout {
  id: PayoutId;
  status: PayoutEnd;
  endedAt: number;
  endedBy: string;
  note: string | null;
}

/**
 * Ends a payout that is under way, and marks its entries to be settled. Returns its contents; undefined when the payout is
 * in another state. A payout that is held is never canceled: it may have been paid.
 */
export function endPayout(tx: Transaction, payout: EndedPayout) {
  return tx.get<PayoutSum>(
    `UPDATE payouts SET status = @status, ended_at = @endedAt, ended_by = @endedBy, note = @note, paid_at = @paidAt,
       settling_after = ''
     WHERE id = @id AND (status = 'processing' OR status = 'held' AND @status <> 'canceled')
     RETURNING amount, entry_count AS "entryCount"`,
    { ...payout, paidAt: payout.status === 'paid' ? payout.endedAt : null },
  );
}

/** Holds a payout that is processing. Returns false when it is in another state. */
export async function markHeld(tx: Transaction, { id, note }: { id: PayoutId; note: string }): Promise<boolean> {
  const sql = "UPDATE payouts SET status = 'held', note = @note WHERE id = @id AND status = 'processing'";
  return (await tx.run(sql, { id, note })) > 0;
}

export interface PayoutOwner {
  id: PayoutId;
  programId: ProgramId;
  partnerId: PartnerId;
  currency: string;
  status: PayoutStatus;
}

/** The partner of a payout, and its current status. */
export async function findPayoutOwner(
  tx: Transaction,
  accountId: AccountId,
  id: string,
): Promise<PayoutOwner | undefined> {
  const row = await tx.get<Omit<PayoutOwner, 'id'>>(
    `SELECT program_id AS "programId", partner_id AS "partnerId", currency, status
     FROM payouts WHERE account_id = @accountId AND id = @id`,
    { accountId, id },
  );
  // a row with this id exists
  return row && { ...row, id: id as PayoutId };
}

/** What the partner's payouts that are under way add up to, by currency; capped at 2^53 − 1. */
export function sumUnderWay(tx: Transaction, partnerId: PartnerId) {
  return tx.all<{ currency: string; amount: number }>(
    `SELECT p.currency, ${clampedSum('SUM(p.amount)')} AS amount FROM payouts p
     WHERE p.partner_id = @partnerId AND p.status IN ('processing', 'held') GROUP BY p.currency`,
    { partnerId },
  );
}

/** True while a run collects a payout of the partner, or was interrupted while it did. */
export async function isCollecting(tx: Transaction, partnerId: PartnerId): Promise<boolean> {
  const sql = 'SELECT 1 AS one FROM payouts WHERE partner_id = @partnerId AND collecting_at IS NOT NULL LIMIT 1';
  return (await tx.get(sql, { partnerId })) !== undefined;
}
