import type { AccountId, PartnerId, PayoutId } from '../../core/ids.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import type { Transaction } from '../../storage/database.ts';

/** A payout whose entries are being marked as paid or given back. */
export interface SettlingPayout {
  id: PayoutId;
  partnerId: PartnerId;
  currency: string;
}

const SETTLING = `SELECT id, partner_id AS "partnerId", currency FROM payouts WHERE settling_after IS NOT NULL`;

/** At most `limit` payouts of all accounts. */
export function findSettling(tx: Transaction, limit: number) {
  return tx.all<SettlingPayout>(`${SETTLING} ORDER BY account_id, id LIMIT @limit`, { limit });
}

export function findSettlingOf(tx: Transaction, accountId: AccountId, limit: number) {
  const sql = `${SETTLING} AND account_id = @accountId ORDER BY id LIMIT @limit`;
  return tx.all<SettlingPayout>(sql, { accountId, limit });
}

/** Locks a payout that is settling; undefined when it no longer is. */
export function lockSettling(tx: Transaction, id: PayoutId) {
  return tx.get<{ status: PayoutStatus; settlingAfter: string }>(
    `UPDATE payouts SET settling_after = settling_after WHERE id = @id AND settling_after IS NOT NULL
     RETURNING status, settling_after AS "settlingAfter"`,
    { id },
  );
}

/** Starts to settle the payout's entries, from the first one. A queued payout stops collecting. */
export function beginSettling(tx: Transaction, id: PayoutId) {
  return tx.run(
    `UPDATE payouts SET settling_after = '', collecting_at = NULL, collected_amount = 0, collected_count = 0
     WHERE id = @id`,
    { id },
  );
}

/** @param settlingAfter null when all entries are settled */
export function updateSettling(tx: Transaction, id: PayoutId, settlingAfter: string | null) {
  return tx.run('UPDATE payouts SET settling_after = @settlingAfter WHERE id = @id', { id, settlingAfter });
}

/** Moves a payout's contents in the daily sums from `in_payouts` to paid, or back to open. */
export async function moveDays(
  tx: Transaction,
  { id, partnerId, currency }: SettlingPayout,
  to: 'paid' | 'open',
): Promise<void> {
  await tx.run(
    `UPDATE ledger_days SET in_payouts = ledger_days.in_payouts - d.amount,
       paid = ledger_days.paid + CASE WHEN @to = 'paid' THEN d.amount ELSE 0 END
     FROM payout_days d
     WHERE d.payout_id = @id AND ledger_days.partner_id = @partnerId AND ledger_days.currency = @currency
       AND ledger_days.day = d.day AND ledger_days.due_day = d.due_day`,
    { id, partnerId, currency, to },
  );
  await tx.run('DELETE FROM payout_days WHERE payout_id = @id', { id });
}

/** Entries of a payout by id: those after one id, up to and including another. */
export type EntryRange = { id: PayoutId; after: string; to: string };

/**
 * The last id and the number of the next `limit` entries of a payout after an id; the id is null when there are none.
 */
export async function findNextEntries(tx: Transaction, id: PayoutId, after: string, limit: number) {
  const found = await tx.get<{ lastId: string | null; count: number }>(
    `SELECT MAX(g.entry_id) AS "lastId", COUNT(*) AS count
     FROM (SELECT a.entry_id FROM payout_entries a WHERE a.payout_id = @id AND a.entry_id > @after
       ORDER BY a.entry_id LIMIT @limit) g`,
    { id, after, limit },
  );
  return found ?? { lastId: null, count: 0 };
}

const IN_RANGE = 'a.payout_id = @id AND a.entry_id > @after AND a.entry_id <= @to';

export function markPaid(tx: Transaction, range: EntryRange) {
  return tx.run(`UPDATE payout_entries AS a SET live = 2 WHERE ${IN_RANGE}`, { ...range });
}

/** Makes entries of a payout open again. The record of their assignment stays, unless `forget` is set. */
export async function giveBack(tx: Transaction, range: EntryRange, forget: boolean): Promise<void> {
  await tx.run(
    `INSERT INTO open_entries
       (partner_id, currency, due_at, entry_id, account_id, sale_id, kind, amount, created_at)
     SELECT e.partner_id, e.currency, e.available_at, e.id, e.account_id, e.sale_id, e.kind, e.amount, e.created_at
     FROM payout_entries a CROSS JOIN ledger_entries e
     WHERE ${IN_RANGE} AND e.account_id = a.account_id AND e.id = a.entry_id`,
    { ...range },
  );
  const sql = forget ? 'DELETE FROM payout_entries AS a' : 'UPDATE payout_entries AS a SET live = 0';
  await tx.run(`${sql} WHERE ${IN_RANGE}`, { ...range });
}
