import type { PayoutEnd, PayoutStatus } from '../../core/payout.ts';
import { IS_DUE, IS_OPEN } from '../../storage/conditions/open-entries.ts';
import type { Transaction } from '../../storage/database.ts';

/** A partner's queued payout in one currency, with the terms that decide whether it is worth paying. */
export interface QueuedPayoutRow {
  id: string;
  programId: string;
  partnerId: string;
  currency: string;
  /** By currency, as JSON. */
  minimumPayout: string;
}

/** What is paid together: the sum in signed minor units, and of how many entries. */
export interface PayoutSum {
  amount: number;
  entryCount: number;
}

/** The account's queued payouts with ids past `afterId`, in the order of their ids. */
export function findQueuedPayouts(tx: Transaction, accountId: string, afterId: string, limit: number) {
  return tx.all<QueuedPayoutRow>(
    `SELECT p.id, p.program_id AS "programId", p.partner_id AS "partnerId", p.currency,
       g.minimum_payout AS "minimumPayout"
     FROM payouts p JOIN programs g ON g.id = p.program_id
     WHERE p.account_id = @accountId AND p.status = 'queued' AND p.id > @afterId
     ORDER BY p.id LIMIT @limit`,
    { accountId, afterId, limit },
  );
}

const DUE_ENTRIES = `ledger_entries e
  WHERE e.partner_id = @partnerId AND e.currency = @currency AND ${IS_DUE} AND ${IS_OPEN}`;

/** What a partner's open entries come to whose hold is over at `at`. */
export function sumDue(tx: Transaction, partnerId: string, currency: string, at: number): Promise<PayoutSum> {
  const sql = `SELECT CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) AS amount, COUNT(*) AS "entryCount" FROM ${DUE_ENTRIES}`;
  return sumOf(tx.get<PayoutSum>(sql, { partnerId, currency, at }));
}

/** Gives a payout all open entries of its partner and currency whose hold is over at `at`. */
export function assignDue(tx: Transaction, payout: QueuedPayoutRow, at: number) {
  const { id, partnerId, currency } = payout;
  return tx.run(
    `INSERT INTO payout_entries (payout_id, account_id, entry_id, live)
    SELECT @id, e.account_id, e.id, 1 FROM ${DUE_ENTRIES}`,
    {
      id,
      partnerId,
      currency,
      at,
    },
  );
}

/** What the entries come to that a payout was given, live or not. A left join, because SQLite would begin with the ledger. */
export function sumAssigned(tx: Transaction, accountId: string, payoutId: string): Promise<PayoutSum> {
  return sumOf(
    tx.get<PayoutSum>(
      `SELECT CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) AS amount, COUNT(e.id) AS "entryCount"
       FROM payout_entries a LEFT JOIN ledger_entries e ON e.account_id = @accountId AND e.id = a.entry_id
       WHERE a.payout_id = @payoutId`,
      { accountId, payoutId },
    ),
  );
}

/** Takes back what a payout that stays queued was given a moment ago. */
export function unassign(tx: Transaction, payoutId: string) {
  return tx.run('DELETE FROM payout_entries WHERE payout_id = @payoutId', { payoutId });
}

export interface StartedPayout extends PayoutSum {
  id: string;
  processingAt: number;
  processingBy: string;
}

/** Fixes the amount of a queued payout. Returns 0 where it is not queued any more. */
export function startPayout(tx: Transaction, payout: StartedPayout) {
  return tx.run(
    `UPDATE payouts SET status = 'processing', amount = @amount, entry_count = @entryCount,
       processing_at = @processingAt, processing_by = @processingBy
     WHERE id = @id AND status = 'queued'`,
    { ...payout },
  );
}

export interface EndedPayout {
  id: string;
  status: PayoutEnd;
  endedAt: number;
  endedBy: string;
  note: string | null;
}

/** Ends a payout that is being processed. Returns 0 where it is in another state. */
export function endPayout(tx: Transaction, payout: EndedPayout) {
  return tx.run(
    `UPDATE payouts SET status = @status, ended_at = @endedAt, ended_by = @endedBy, note = @note, paid_at = @paidAt
     WHERE id = @id AND status = 'processing'`,
    { ...payout, paidAt: payout.status === 'paid' ? payout.endedAt : null },
  );
}

/** The entries of a payout that came to nothing are open again; that it had them stays on record. */
export function releaseEntries(tx: Transaction, payoutId: string) {
  return tx.run('UPDATE payout_entries SET live = 0 WHERE payout_id = @payoutId AND live = 1', { payoutId });
}

export interface PayoutOwner {
  programId: string;
  partnerId: string;
  currency: string;
  status: PayoutStatus;
}

/** Whose payout it is, and its state now. */
export function findPayoutOwner(tx: Transaction, accountId: string, id: string) {
  return tx.get<PayoutOwner>(
    `SELECT program_id AS "programId", partner_id AS "partnerId", currency, status
     FROM payouts WHERE account_id = @accountId AND id = @id`,
    { accountId, id },
  );
}

async function sumOf(row: Promise<PayoutSum | undefined>): Promise<PayoutSum> {
  return (await row) ?? { amount: 0, entryCount: 0 };
}
