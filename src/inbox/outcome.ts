import type { AccountId, DeliveryId, SaleId } from '../core/ids.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Transaction } from '../storage/database.ts';
import { recordFailure } from './failure-event.ts';
import { reopenDelivery, updateOutcome } from './queries/deliveries.ts';

/** A delivery that was processed earlier; null when the API reported the payment instead. */
export interface EarlierDelivery {
  accountId: AccountId;
  deliveryId: DeliveryId | null;
}

/** Changes the outcome of a delivery, because its parked payment became a sale or was merged into another payment. */
export async function changeOutcome(
  tx: Transaction,
  { accountId, deliveryId }: EarlierDelivery,
  outcome: Outcome,
  saleId: SaleId | null,
): Promise<void> {
  if (deliveryId !== null) await updateOutcome(tx, { accountId, deliveryId, outcome, saleId });
}

/**
 * Marks a delivery as `failed` and due at once, because its payment has arrived and shows that the delivery cannot be
 * right.
 */
export async function failProcessedDelivery(
  tx: Transaction,
  { accountId, deliveryId }: EarlierDelivery,
  reason: string,
  now: number,
): Promise<void> {
  if (deliveryId === null) return;
  await reopenDelivery(tx, { accountId, deliveryId, reason, nextAttemptAt: now });
  await recordFailure(tx, { accountId, deliveryId, now });
}
