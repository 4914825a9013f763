import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** More would only burden whoever stores the metrics. */
const ENDPOINTS_MAX = 200;

/** Of every account. */
export async function findAccountIds(tx: Transaction): Promise<AccountId[]> {
  const rows = await tx.all<{ id: AccountId }>('SELECT id FROM accounts ORDER BY id');
  return rows.map(({ id }) => id);
}

/** The endpoints of all accounts that have had a delivery, the latest first. */
export function findLastDeliveries(tx: Transaction) {
  return tx.all<{ id: string; processor: string; lastDeliveryAt: number }>(
    `SELECT w.id, w.processor, w.last_delivery_at AS "lastDeliveryAt" FROM webhook_endpoints w
     WHERE w.deleted_at IS NULL AND w.last_delivery_at IS NOT NULL
     ORDER BY w.last_delivery_at DESC, w.id LIMIT ${ENDPOINTS_MAX}`,
  );
}
