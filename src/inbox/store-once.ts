import type { DeliveryAnswer, DeliveryResult, ReceivedDelivery } from '../core/delivery.ts';
import type { EndpointId } from '../core/ids.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { insertDelivery, isKnownDelivery } from './queries/deliveries.ts';

const DUPLICATE: DeliveryAnswer = { outcome: 'duplicate', deliveryId: null, reason: 'this delivery is known' };

/** Whether the endpoint has stored a delivery with this key. */
export function isStored(tx: Transaction, endpointId: EndpointId, deliveryKey: string): Promise<boolean> {
  return isKnownDelivery(tx, endpointId, deliveryKey);
}

/** Rolls a unit back when another process has stored the same delivery in the meantime. */
class AlreadyStored extends Error {}

/**
 * Applies and stores a new delivery in one unit of work; a duplicate changes nothing. The row is written once and last,
 * because it is by far the largest; the unique index has the final say about duplicates. Settles after the commit.
 *
 * @throws ServiceError `UNAVAILABLE`; whatever `apply` throws, after which nothing is stored
 */
export async function storeOnce(
  database: Database,
  received: ReceivedDelivery,
  apply: (tx: Transaction) => Promise<DeliveryResult>,
): Promise<DeliveryAnswer> {
  const { id, endpointId, deliveryKey } = received;
  try {
    return await database.write(async (tx) => {
      if (await isKnownDelivery(tx, endpointId, deliveryKey)) return DUPLICATE;
      const result = await apply(tx);
      if (!(await insertDelivery(tx, { ...received, ...result }))) throw new AlreadyStored();
      return { outcome: result.outcome, deliveryId: id, reason: result.reason };
    });
  } catch (error) {
    if (error instanceof AlreadyStored) return DUPLICATE;
    throw error;
  }
}
