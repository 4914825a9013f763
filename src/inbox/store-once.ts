import type { DeliveryAnswer, DeliveryResult, ReceivedDelivery } from '../core/delivery.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { insertDelivery, isKnownDelivery } from './queries/deliveries.ts';

const KNOWN: DeliveryAnswer = { outcome: 'duplicate', deliveryId: null, reason: 'this delivery is known' };

/** Another process stored the same delivery while this unit was at work on it: what this one did is taken back. */
class StoredMeanwhile extends Error {}

/**
 * Stores a delivery that was not seen before, with what `apply` made of it in the same unit of work; one that was seen
 * changes nothing. The row is written once and last, because it is by far the largest; that it is the only one is the
 * unique index's word. Settles after the commit.
 *
 * @throws ServiceError `UNAVAILABLE`; whatever `apply` throws, and then nothing was stored
 */
export async function storeOnce(
  database: Database,
  received: ReceivedDelivery,
  apply: (tx: Transaction) => Promise<DeliveryResult>,
): Promise<DeliveryAnswer> {
  const { id, endpointId, deliveryKey } = received;
  try {
    return await database.write(async (tx) => {
      if (await isKnownDelivery(tx, endpointId, deliveryKey)) return KNOWN;
      const result = await apply(tx);
      if (!(await insertDelivery(tx, { ...received, ...result }))) throw new StoredMeanwhile();
      return { outcome: result.outcome, deliveryId: id, reason: result.reason };
    });
  } catch (error) {
    if (error instanceof StoredMeanwhile) return KNOWN;
    throw error;
  }
}
