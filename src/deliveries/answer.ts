import type { z } from 'zod';
import type { Service } from '../app/service.ts';
import type { DeliveryAnswer } from '../core/delivery.ts';
import { withoutAddresses } from '../core/without-addresses.ts';
import type { receiptSchema } from '../inbox/schemas.ts';
import { isInvalidSignature, receiveWebhook, type WebhookRequest } from './receive.ts';

/**
 * Receives a webhook, counts and logs its outcome, and returns the response to the processor.
 *
 * @throws ServiceError like `receiveWebhook`
 */
export async function answerWebhook(service: Service, request: WebhookRequest): Promise<z.input<typeof receiptSchema>> {
  const { processor, endpointId } = request;
  try {
    const answer = await receiveWebhook(service, request);
    service.metrics.deliveryAnswered(processor, answer.outcome);
    logDelivery(service, { processor, endpointId, ...answer });
    return { received: true, outcome: answer.outcome };
  } catch (error) {
    if (isInvalidSignature(error)) service.metrics.deliveryAnswered(processor, 'rejected');
    throw error;
  }
}

interface LoggedDelivery extends DeliveryAnswer {
  processor: string;
  endpointId: string;
}

function logDelivery({ log }: Service, delivery: LoggedDelivery): void {
  const { processor, endpointId, deliveryId, outcome } = delivery;
  // it may contain an address that matched nobody, which is stored with the delivery, but not logged
  const reason = delivery.reason && withoutAddresses(delivery.reason, '(e-mail address)');
  if (outcome === 'failed') log.error({ processor, endpointId, deliveryId, reason }, 'delivery failed');
  else if (outcome === 'unknown') log.warn({ processor, endpointId, deliveryId, reason }, 'delivery unknown');
  else if (log.isLevelEnabled('debug')) log.debug({ processor, deliveryId, outcome, reason }, 'delivery');
}
