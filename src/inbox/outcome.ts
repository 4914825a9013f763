import type { Outcome } from '../core/facts.ts';
import type { Transaction } from '../storage/database.ts';
import { reopenDelivery, updateOutcome } from './queries/deliveries.ts';

/** A delivery that something happened to after it was processed; no delivery where the API reported it. */
export interface LaterOutcome {
  accountId: string;
  deliveryId: string | null;
}

/** What a delivery shows changes when its parked payment becomes a sale, or turns out to be another's, later. */
export async function changeOutcome(
  tx: Transaction,
  { accountId, deliveryId }: LaterOutcome,
  outcome: Outcome,
  saleId: string | null,
): Promise<void> {
  if (deliveryId !== null) await updateOutcome(tx, accountId, deliveryId, outcome, saleId);
}

/** A delivery turned out to be impossible when its payment arrived: it is `failed` from now on, and due at once. */
export async function failLater(
  tx: Transaction,
  { accountId, deliveryId }: LaterOutcome,
  reason: string,
  now: number,
): Promise<void> {
  if (deliveryId !== null) await reopenDelivery(tx, accountId, deliveryId, reason, now);
}
