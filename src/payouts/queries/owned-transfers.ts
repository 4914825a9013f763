import type { AccountId, PartnerId, PayoutId } from '../../core/ids.ts';
import type { TransferRailName } from '../../rails/contract/rail.ts';
import type { Transaction } from '../../storage/database.ts';

/** The payouts of an account whose transfers are under way. */
export function findSending(tx: Transaction, accountId: AccountId) {
  const sql = `SELECT t.payout_id AS id, t.rail FROM payout_transfers t
    WHERE t.account_id = @accountId AND t.status = 'sending' ORDER BY t.payout_id`;
  return tx.all<{ id: PayoutId; rail: TransferRailName }>(sql, { accountId });
}

/** Holds all transfers of an account that are under way: nobody sees to them any more. */
export function holdSending(tx: Transaction, accountId: AccountId, problem: string) {
  return tx.run(
    `UPDATE payout_transfers SET status = 'held', problem = @problem, hindrance = NULL, due_at = NULL, leased_by = NULL,
       leased_until = NULL
     WHERE account_id = @accountId AND status = 'sending'`,
    { accountId, problem },
  );
}

/** True while a transfer to the partner is under way. */
export async function isSendingTo(tx: Transaction, partnerId: PartnerId): Promise<boolean> {
  const sql = `SELECT 1 AS one FROM payouts p CROSS JOIN payout_transfers t
    WHERE p.partner_id = @partnerId AND t.payout_id = p.id AND t.status = 'sending' LIMIT 1`;
  return (await tx.get(sql, { partnerId })) !== undefined;
}

/** Removes the partner's account at the provider, which a provider's reason may name, too. */
export async function eraseTransfersTo(tx: Transaction, partnerId: PartnerId): Promise<void> {
  await tx.run(
    `UPDATE payout_transfers SET destination = NULL, problem = NULL
     WHERE payout_id IN (SELECT p.id FROM payouts p WHERE p.partner_id = @partnerId)`,
    { partnerId },
  );
}
