import type { EndpointId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** Records the time of the last delivery, unless a time after `touchedBefore` is already recorded. */
export async function touchEndpoint(
  tx: Transaction,
  id: EndpointId,
  now: number,
  touchedBefore: number,
): Promise<void> {
  await tx.run(
    `UPDATE webhook_endpoints SET last_delivery_at = @now
     WHERE id = @id AND (last_delivery_at IS NULL OR last_delivery_at <= @touchedBefore)`,
    { id, now, touchedBefore },
  );
}
