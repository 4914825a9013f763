import type { AccountId, PartnerId, PayoutId, ProgramId } from '../../core/ids.ts';
import type { PayoutEnd, PayoutStatus } from '../../core/payout.ts';
import { IS_DUE, IS_OPEN } from '../../storage/conditions/open-entries.ts';
import type { Transaction } from '../../storage/database.ts';

/** A partner's queued payout in one currency, with the terms that decide whether it is worth paying. */
export interface PayoutCandidate {
  id: PayoutId;
  programId: ProgramId;
  partnerId: PartnerId;
  currency: string;
  /** The program's minimum in minor units of the payout's currency; undefined when it sets none. */
  minimumMinor: number | undefined;
}

/** The sum of a payout's entries in signed minor units, and their number. */
export interface PayoutSum {
  amount: number;
  entryCount: number;
}

/** The account's queued payouts with ids above `afterId`, in the order of their ids. */
export async function findQueuedPayouts(
  tx: Transaction,
  accountId: AccountId,
  afterId: string,
  limit: number,
): Promise<PayoutCandidate[]> {
  const rows = await tx.all<PayoutCandidateRow>(
    `SELECT p.id, p.program_id AS "programId", p.partner_id AS "partnerId", p.currency,
       g.minimum_payout AS "minimumPayout"
     FROM payouts p JOIN programs g ON g.id = p.program_id
     WHERE p.account_id = @accountId AND p.status = 'queued' AND p.id > @afterId
     ORDER BY p.id LIMIT @limit`,
    { accountId, afterId, limit },
  );
  return rows.map(asPayoutCandidate);
}

const DUE_ENTRIES = `ledger_entries e
  WHERE e.partner_id = @partnerId AND e.currency = @currency AND ${IS_DUE} AND ${IS_OPEN}`;

/** Sums a partner's open entries whose hold is over at `at`. */
export function sumDue(tx: Transaction, partnerId: PartnerId, currency: string, at: number): Promise<PayoutSum> {
  const sql = `SELECT CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) AS amount, COUNT(*) AS "entryCount" FROM ${DUE_ENTRIES}`;
  return sumOf(tx.get<PayoutSum>(sql, { partnerId, currency, at }));
}

/** Assigns to a payout all open entries of its partner and currency whose hold is over at `at`. */
export function assignDue(tx: Transaction, payout: PayoutCandidate, at: number) {
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

/** Sums the entries assigned to a payout, live or not. A left join, because SQLite would otherwise start with the ledger. */
export function sumAssigned(tx: Transaction, accountId: AccountId, payoutId: PayoutId): Promise<PayoutSum> {
  return sumOf(
    tx.get<PayoutSum>(
      `SELECT CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) AS amount, COUNT(e.id) AS "entryCount"
       FROM payout_entries a LEFT JOIN ledger_entries e ON e.account_id = @accountId AND e.id = a.entry_id
       WHERE a.payout_id = @payoutId`,
      { accountId, payoutId },
    ),
  );
}

/** Undoes `assignDue` for a payout that stays queued. */
export function unassign(tx: Transaction, payoutId: PayoutId) {
  return tx.run('DELETE FROM payout_entries WHERE payout_id = @payoutId', { payoutId });
}

export interface StartedPayout extends PayoutSum {
  id: PayoutId;
  processingAt: number;
  processingBy: string;
}

/** Starts a queued payout and fixes its amount. Returns 0 when it is no longer queued. */
export function startPayout(tx: Transaction, payout: StartedPayout) {
  return tx.run(
    `UPDATE payouts SET status = 'processing', amount = @amount, entry_count = @entryCount,
       processing_at = @processingAt, processing_by = @processingBy
     WHERE id = @id AND status = 'queued'`,
    { ...payout },
  );
}

export interface EndedPayout {
  id: PayoutId;
  status: PayoutEnd;
  endedAt: number;
  endedBy: string;
  note: string | null;
}

/** Ends a payout that is processing. Returns 0 when it is in another state. */
export function endPayout(tx: Transaction, payout: EndedPayout) {
  return tx.run(
    `UPDATE payouts SET status = @status, ended_at = @endedAt, ended_by = @endedBy, note = @note, paid_at = @paidAt
     WHERE id = @id AND status = 'processing'`,
    { ...payout, paidAt: payout.status === 'paid' ? payout.endedAt : null },
  );
}

/** Reopens the entries of a failed or canceled payout; a record of the assignment remains. */
export function releaseEntries(tx: Transaction, payoutId: PayoutId) {
  return tx.run('UPDATE payout_entries SET live = 0 WHERE payout_id = @payoutId AND live = 1', { payoutId });
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

/** `minimumPayout`: minor units by currency, as JSON. */
type PayoutCandidateRow = Omit<PayoutCandidate, 'minimumMinor'> & { minimumPayout: string };

function asPayoutCandidate({ minimumPayout, ...row }: PayoutCandidateRow): PayoutCandidate {
  const minimums = JSON.parse(minimumPayout) as Record<string, number>;
  return { ...row, minimumMinor: minimums[row.currency] };
}

async function sumOf(row: Promise<PayoutSum | undefined>): Promise<PayoutSum> {
  return (await row) ?? { amount: 0, entryCount: 0 };
}
