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

/** An entry, and its amount; `isOpen` is 1 when it can be paid, otherwise 0. */
export type EntryToPay = { amount: number; partnerId: PartnerId; currency: string; isOpen: 0 | 1 };

/** An entry of the ledger, open or not. */
export function findEntryToPay(tx: Transaction, accountId: AccountId, entryId: EntryId) {
  return tx.get<EntryToPay>(
    `SELECT e.amount, e.partner_id AS "partnerId", e.currency,
       CASE WHEN EXISTS (SELECT 1 FROM open_entries o WHERE o.partner_id = e.partner_id AND o.currency = e.currency
         AND o.due_at = e.available_at AND o.entry_id = e.id) THEN 1 ELSE 0 END AS "isOpen"
     FROM ledger_entries e
     WHERE e.account_id = @accountId AND e.id = @entryId`,
    { accountId, entryId },
  );
}

/**
 * Moves an open entry into a paid payout and updates the sums that depend on it. Returns 0 when the entry is not open.
 */
export async function payEntry(
  tx: Transaction,
  { accountId, entryId, payoutId }: { accountId: AccountId; entryId: EntryId; payoutId: PayoutId },
): Promise<number> {
  const parameters = { accountId, entryId };
  const removed = await tx.run(
    `DELETE FROM open_entries
     WHERE (partner_id, currency, due_at, entry_id) = (SELECT e.partner_id, e.currency, e.available_at, e.id
       FROM ledger_entries e WHERE e.account_id = @accountId AND e.id = @entryId)`,
    parameters,
  );
  if (removed === 0) return 0;
  await tx.run(
    `INSERT INTO payout_entries (payout_id, account_id, entry_id, live, sale_id)
     SELECT @payoutId, e.account_id, e.id, 2, CASE WHEN e.kind = 'commission' THEN e.sale_id END
     FROM ledger_entries e WHERE e.account_id = @accountId AND e.id = @entryId`,
    { ...parameters, payoutId },
  );
  await tx.run(
    `UPDATE ledger_days SET paid = ledger_days.paid + e.amount
     FROM ledger_entries e
     WHERE e.account_id = @accountId AND e.id = @entryId
       AND ledger_days.partner_id = e.partner_id AND ledger_days.currency = e.currency
       AND ledger_days.day = ${dayOf('e.created_at')} AND ledger_days.due_day = ${dueDayOf('e.created_at', 'e.available_at')}`,
    parameters,
  );
  return tx.run(
    `UPDATE payouts SET entry_count = entry_count + 1, amount = amount +
       (SELECT e.amount FROM ledger_entries e WHERE e.account_id = @accountId AND e.id = @entryId)
     WHERE id = @payoutId`,
    { ...parameters, payoutId },
  );
}
