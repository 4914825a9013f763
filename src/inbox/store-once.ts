import { claimKeys } from '../app/claims.ts';
import type { DeliveryAnswer, DeliveryResult, ReceivedDelivery } from '../core/delivery.ts';
import { type ClaimKey, type Database, isTaken, type Transaction } from '../storage/database.ts';
import { recordFailure } from './failure-event.ts';
import { insertDelivery, isKnownDelivery } from './queries/deliveries.ts';

export { isKnownDelivery } from './queries/deliveries.ts';

const DUPLICATE: DeliveryAnswer = { outcome: 'duplicate', deliveryId: null, reason: 'this delivery is known' };

/** A new delivery, and how to apply it. */
export interface NewDelivery {
  received: ReceivedDelivery;
  /** The keys that `apply` claims, so that they are claimed together with the delivery's own. */
  claims: () => readonly ClaimKey[];
  /** What `apply` looks up first; see `Transaction.lookAhead`. */
  lookAhead: (tx: Transaction) => Promise<unknown>;
  /** See `WriteOptions.alone`. */
  alone: boolean;
  /** Nothing is stored when it throws. */
  apply: (tx: Transaction) => Promise<DeliveryResult>;
}

/** Rolls a unit back when another process has stored the same delivery in the meantime. */
class AlreadyStored extends Error {}

/**
 * Applies and stores a new delivery in one unit of work; a duplicate changes nothing. The row is written once and last,
 * because it is by far the largest. Earlier versions of the program do not claim deliveries, so the unique index
 * decides in the end. Settles after the commit.
 *
 * @throws ServiceError `UNAVAILABLE`; whatever `apply` throws
 */
export async function storeOnce(
  database: Database,
  { received, claims, lookAhead, alone, apply }: NewDelivery,
): Promise<DeliveryAnswer> {
  const { id, endpointId, deliveryKey } = received;
  try {
    const store = async (tx: Transaction): Promise<DeliveryAnswer> => {
      await tx.claim(() => [claimKeys.received(endpointId, deliveryKey), ...claims()]);
      tx.lookAhead(lookAhead);
      if (await isKnownDelivery(tx, endpointId, deliveryKey)) return DUPLICATE;
      const result = await apply(tx);
      tx.unawaited(storeNew(tx, { ...received, ...result }));
      if (result.status === 'failed') {
        const { accountId, receivedAt: now } = received;
        await recordFailure(tx, { accountId, deliveryId: id, now });
      }
      return { outcome: result.outcome, deliveryId: id, reason: result.reason };
    };
    return await database.write(store, { alone });
  } catch (error) {
    if (error instanceof AlreadyStored) return DUPLICATE;
    throw error;
  }
}

async function storeNew(tx: Transaction, delivery: ReceivedDelivery & DeliveryResult): Promise<void> {
  try {
    await insertDelivery(tx, delivery);
  } catch (error) {
    throw isTaken(error, 'deliveries') ? new AlreadyStored() : error;
  }
}
