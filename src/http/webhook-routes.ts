import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from 'express';
import type { Service } from '../app/service.ts';
import { receiveWebhook } from '../deliveries/receive.ts';
import { ServiceError } from '../errors.ts';
import { answerError, answerJson } from './errors.ts';
import type { Metrics } from './metrics.ts';
import { readRawBody } from './raw-body.ts';

/** The route of a processor's webhooks. */
export const WEBHOOK_PATTERN = '/webhooks/:processor/:endpointId';

interface WebhookPath {
  processor: string;
  endpointId: string;
}

/** Answers a webhook; settles when it is answered, and never rejects. */
export type WebhookHandler = (request: IncomingMessage, response: ServerResponse, path: WebhookPath) => Promise<void>;

const PLAIN = /^\/webhooks\/([a-z]+)\/(\w+)$/;

/** Where a plain webhook is posted to (`POST /webhooks/stripe/whe_1`), null for everything else. */
export function webhookPathOf({ method, url = '' }: IncomingMessage): WebhookPath | null {
  if (method !== 'POST') return null;
  const [, processor, endpointId] = PLAIN.exec(url) ?? [];
  return processor === undefined || endpointId === undefined ? null : { processor, endpointId };
}

/** `/webhooks/:processor/:endpointId`, for the requests that are not plain: another method, a query, an encoded path. */
export function webhookRoutes(service: Service, metrics: Metrics): Router {
  const router = Router();
  router.post('/:processor/:endpointId', async (request, response) => {
    await answerDelivery(service, metrics, request, response, request.params, request.body as Buffer);
  });
  return router;
}

/** Always exactly 200 once the delivery is stored, whatever became of it. */
export function webhookHandler(service: Service, metrics: Metrics): WebhookHandler {
  return async (request, response, path) => {
    try {
      await answerDelivery(service, metrics, request, response, path, await readRawBody(request));
    } catch (error) {
      answerError(service.log, error, request, response);
    }
  };
}

async function answerDelivery(
  service: Service,
  metrics: Metrics,
  request: IncomingMessage,
  response: ServerResponse,
  { processor, endpointId }: WebhookPath,
  rawBody: Buffer,
): Promise<void> {
  try {
    const answer = await receiveWebhook(service, processor, endpointId, rawBody, request.headers);
    const { outcome, deliveryId, reason } = answer;
    metrics.deliveryAnswered(processor, outcome);
    if (outcome === 'failed') service.log.error({ processor, endpointId, deliveryId, reason }, 'delivery failed');
    else if (outcome === 'unknown') service.log.warn({ processor, endpointId, deliveryId, reason }, 'delivery unknown');
    else if (service.log.isLevelEnabled('debug'))
      service.log.debug({ processor, deliveryId, outcome, reason }, 'delivery');
    answerJson(response, 200, { received: true, outcome });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_SIGNATURE') {
      metrics.deliveryAnswered(processor, 'rejected');
    }
    throw error;
  }
}
