import type { AccountId, DeliveryId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** The ids of the account's deliveries from `fromId` on, newest first. */
export async function findDeliveryIds(tx: Transaction, accountId: AccountId, fromId: string, limit: number) {
  const rows = await tx.all<{ id: DeliveryId }>(
    `SELECT d.id FROM deliveries d WHERE d.account_id = @accountId AND d.id >= @fromId ORDER BY d.id DESC LIMIT @limit`,
    { accountId, fromId, limit },
  );
  return rows.map(({ id }) => id);
}
