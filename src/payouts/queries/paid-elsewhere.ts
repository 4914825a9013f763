import type { AccountId, EntryId, PartnerId, PayoutId, ProgramId } from '../../core/ids.ts';
import { dayOf, dueDayOf } from '../../storage/conditions/ledger-days.ts';
import type { Transaction } from '../../storage/database.ts';

/** A payout that another service made. Times are epoch milliseconds. */
export type PayoutElsewhere = {
  id: PayoutId;
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  currency: string;
  paidAt: number;
  paidBy: string;
  note: string;
  createdAt: number;
};

/** Adds a paid payout without entries. */
export async function insertPaid(tx: Transaction, payout: PayoutElsewhere): Promise<void> {
  await tx.run(
    `INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, amount, entry_count, created_at,
       processing_at, processing_by, paid_at, ended_at, ended_by, note)
     VALUES (@id, @accountId, @programId, @partnerId, @currency, 'paid', 0, 0, @createdAt,
       @paidAt, @paidBy, @paidAt, @paidAt, @paidBy, @note)`,
    { ...payout },
  );
}

/**
 * Corrects when a payout that another service made was paid (epoch milliseconds): the payout itself knows better than its
 * commissions.
 *
 * @returns false when nothing changes
 */
export async function correctPaidAt(tx: Transaction, id: PayoutId, paidAt: number): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE payouts SET processing_at = @paidAt, paid_at = @paidAt, ended_at = @paidAt
     WHERE id = @id AND status = 'paid' AND paid_at <> @paidAt`,
    { id, paidAt },
  );
  return changed === 1;
}

/** The amount of an entry of the ledger. `isOpen` is 1 when it can be paid, otherwise 0. */
export function findEntryToPay(tx: Transaction, accountId: AccountId, entryId: EntryId) {
  return tx.get<{ amount: number; isOpen: 0 | 1 }>(
    `SELECT e.amount,
       CASE WHEN EXISTS (SELECT 1 FROM open_entries o WHERE o.partner_id = e.partner_id AND o.currency = e.currency
         AND o.due_at = e.available_at AND o.entry_id = e.id) THEN 1 ELSE 0 END AS "isOpen"
     FROM ledger_entries e
     WHERE e.account_id = @accountId AND e.id = @entryId`,
    { accountId, entryId },
  );
}

/** Takes an entry from those that the next payouts will pay. Returns 0 when it is not among them. */
export function takeOpenEntry(tx: Transaction, { accountId, entryId }: { accountId: AccountId; entryId: EntryId }) {
  return tx.run(
    `DELETE FROM open_entries
     WHERE (partner_id, currency, due_at, entry_id) = (SELECT e.partner_id, e.currency, e.available_at, e.id
       FROM ledger_entries e WHERE e.account_id = @accountId AND e.id = @entryId)`,
    { accountId, entryId },
  );
}

/** Adds an entry to a paid payout, and updates the sums that depend on it. */
export async function addPaidEntry(
  tx: Transaction,
  paid: { accountId: AccountId; entryId: EntryId; payoutId: PayoutId },
): Promise<void> {
  const { accountId, entryId } = paid;
  await Promise.all([
    tx.run(
      `INSERT INTO payout_entries (payout_id, account_id, entry_id, live, sale_id)
       SELECT @payoutId, e.account_id, e.id, 2, CASE WHEN e.kind = 'commission' THEN e.sale_id END
       FROM ledger_entries e WHERE e.account_id = @accountId AND e.id = @entryId`,
      paid,
    ),
    tx.run(
      `UPDATE ledger_days SET paid = ledger_days.paid + e.amount
       FROM ledger_entries e
       WHERE e.account_id = @accountId AND e.id = @entryId
         AND ledger_days.partner_id = e.partner_id AND ledger_days.currency = e.currency
         AND ledger_days.day = ${dayOf('e.created_at')} AND ledger_days.due_day = ${dueDayOf('e.created_at', 'e.available_at')}`,
      { accountId, entryId },
    ),
    tx.run(
      `UPDATE payouts SET entry_count = entry_count + 1, amount = amount +
         (SELECT e.amount FROM ledger_entries e WHERE e.account_id = @accountId AND e.id = @entryId)
       WHERE id = @payoutId`,
      paid,
    ),
  ]);
}
