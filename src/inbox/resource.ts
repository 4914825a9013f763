import { isoTime, isoTimeOrNull } from '../core/time.ts';
import type { DeliveryView } from './queries/list.ts';
import type { DeliveryResource } from './schemas.ts';

/** The resource of a delivery. */
export function asDelivery(delivery: DeliveryView): DeliveryResource {
  return {
    id: delivery.id,
    endpointId: delivery.endpointId,
    processor: delivery.processor,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    status: delivery.status,
    outcome: delivery.outcome,
    reason: delivery.reason,
    saleId: delivery.saleId,
    attempts: delivery.attempts,
    nextAttemptAt: isoTimeOrNull(delivery.nextAttemptAt),
    receivedAt: isoTime(delivery.receivedAt),
  };
}
