import type { AccountId, PayoutId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

export interface HeldRow {
  id: PayoutId;
  currency: string;
  /** Minor units. */
  amount: number;
  /** When somebody had it sent; null if that was on another server. */
  orderedAt: number | null;
}

/** The account's payouts that are held, oldest first. */
export function findHeldPayouts(tx: Transaction, accountId: AccountId, limit: number) {
  return tx.all<HeldRow>(
    `SELECT p.id, p.currency, p.amount,
       (SELECT t.created_at FROM payout_transfers t WHERE t.payout_id = p.id) AS "orderedAt"
     FROM payouts p WHERE p.account_id = @accountId AND p.status = 'held' ORDER BY p.id LIMIT @limit`,
    { accountId, limit },
  );
}
