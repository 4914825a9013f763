import { Router } from 'express';
import { ServiceError } from '../errors.ts';
import { receiveWebhook } from '../tracking/receive-webhook.ts';
import type { Service } from '../tracking/service.ts';
import { deliveryCount } from './metrics.ts';

/** `/webhooks/:processor/:endpointId`: always exactly 200 once the delivery is stored, whatever became of it. */
export function webhookRoutes(service: Service): Router {
  const router = Router();

  router.post('/:processor/:endpointId', async (request, response) => {
    const { processor, endpointId } = request.params;
    try {
      const { outcome, deliveryId, reason } = await receiveWebhook(
        service,
        processor,
        endpointId,
        request.body as Buffer,
        request.headers,
      );
      deliveryCount.inc({ processor, outcome });
      if (outcome === 'failed') service.log.error({ processor, endpointId, deliveryId, reason }, 'delivery failed');
      else if (outcome === 'unknown')
        service.log.warn({ processor, endpointId, deliveryId, reason }, 'delivery unknown');
      else if (service.log.isLevelEnabled('debug'))
        service.log.debug({ processor, deliveryId, outcome, reason }, 'delivery');
      response.json({ received: true, outcome });
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'INVALID_SIGNATURE') {
        deliveryCount.inc({ processor, outcome: 'rejected' });
      }
      throw error;
    }
  });

  return router;
}
