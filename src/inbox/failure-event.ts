import type { AccountId, DeliveryId } from '../core/ids.ts';
import { recordEvent } from '../events/record.ts';
import type { Transaction } from '../storage/database.ts';
import { findDeliveriesById } from './queries/list.ts';
import { asDelivery } from './resource.ts';

/**
 * Records the event that a delivery has failed or was given up. Call it in the unit of work that stores the failure.
 */
export function recordFailure(
  tx: Transaction,
  { accountId, deliveryId, now }: { accountId: AccountId; deliveryId: DeliveryId; now: number },
): Promise<void> {
  const data = async () => {
    const [delivery] = await findDeliveriesById(tx, accountId, [deliveryId]);
    if (!delivery) throw new Error(`Delivery ${deliveryId} is missing`);
    return asDelivery(delivery);
  };
  return recordEvent(tx, { accountId, type: 'delivery.failed', occurredAt: now, data });
}
