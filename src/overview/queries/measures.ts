import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** More endpoints would only burden the system that stores the metrics. */
const ENDPOINTS_MAX = 200;

/** The ids of all accounts. */
export async function findAccountIds(tx: Transaction): Promise<AccountId[]> {
  const rows = await tx.all<{ id: AccountId }>('SELECT id FROM accounts ORDER BY id');
  return rows.map(({ id }) => id);
}

/** The endpoints of all accounts that have received a delivery, latest first. */
export function findLastDeliveries(tx: Transaction) {
  return tx.all<{ id: string; processor: string; lastDeliveryAt: number }>(
    `SELECT w.id, w.processor, w.last_delivery_at AS "lastDeliveryAt" FROM webhook_endpoints w
     WHERE w.deleted_at IS NULL AND w.last_delivery_at IS NOT NULL
     ORDER BY w.last_delivery_at DESC, w.id LIMIT ${ENDPOINTS_MAX}`,
  );
}

/** When the event that has waited longest was due, also of endpoints that are being sent to or paused after a failure. */
export async function findOldestEventDueAt(tx: Transaction): Promise<number | null> {
  const row = await tx.get<{ dueAt: number | null }>(
    `SELECT MIN(oldest.due_at) AS "dueAt" FROM (
       SELECT (SELECT MIN(d.next_attempt_at) FROM event_deliveries d
         WHERE d.endpoint_id = e.id AND d.next_attempt_at IS NOT NULL) AS due_at
       FROM event_endpoints e WHERE e.status = 'enabled' AND e.kind = 'webhook') AS oldest`,
  );
  return row?.dueAt ?? null;
}

/** The transfers of all accounts that are under way. Their index holds only these, and those that a person asked about. */
export async function countTransfers(tx: Transaction): Promise<{ count: number; oldestCreatedAt: number | null }> {
  const row = await tx.get<{ count: number; oldestCreatedAt: number | null }>(
    `SELECT COUNT(*) AS count, MIN(t.created_at) AS "oldestCreatedAt" FROM payout_transfers t
     WHERE t.due_at > -1 AND t.status = 'sending'`,
  );
  return row ?? { count: 0, oldestCreatedAt: null };
}
