import type { AccountId, PartnerId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

interface StoredDetails {
  /** JSON; null when there are no details. */
  masked: string | null;
  sealed: Buffer | null;
}

export async function updatePayoutDetails(tx: Transaction, id: PartnerId, details: StoredDetails): Promise<void> {
  await tx.run('UPDATE partners SET payout_details = @masked, sealed_payout_details = @sealed WHERE id = @id', {
    id,
    ...details,
  });
}

/** Undefined for a partner of another account, or none. */
export function findPayoutDetails(tx: Transaction, accountId: AccountId, id: string) {
  const sql = `SELECT n.payout_details AS masked, n.sealed_payout_details AS sealed FROM partners n
    WHERE n.account_id = @accountId AND n.id = @id`;
  return tx.get<StoredDetails>(sql, { accountId, id });
}
