import { z } from 'zod';
import { route } from '../app/route.ts';
import { getDelivery, listDeliveries } from '../inbox/list.ts';
import { deliveryDetailSchema, deliveryListQuery, deliveryListSchema, receiptSchema } from '../inbox/schemas.ts';
import { answerWebhook } from './answer.ts';
import { retryDelivery } from './retry.ts';

const TAG = 'Deliveries';

/** Never parsed, because the signature covers the bytes. */
const signedBody = z.any().meta({
  type: 'object',
  description: "The processor's event, byte for byte as signed.",
}) as z.ZodType<Buffer>;

/** The requests of processors, and their outcomes. */
export const deliveryRoutes = [
  route({
    operationId: 'receiveWebhook',
    method: 'POST',
    path: '/webhooks/:processor/:endpointId',
    credential: 'signature',
    tag: TAG,
    summary: "Receive a processor's webhook",
    description:
      'The URL of a webhook endpoint. Answers 200 once the delivery is stored, whatever its outcome, so that no ' +
      'processor disables the endpoint.',
    body: signedBody,
    rawBody: true,
    answer: receiptSchema,
    errors: ['NOT_FOUND'],
    unknownMembers: 'ignore',
    run: ({ service, request }, { parameters: { processor, endpointId }, body }) =>
      answerWebhook(service, { processor, endpointId, rawBody: body, headers: request.headers }),
  }),
  route({
    operationId: 'listDeliveries',
    method: 'GET',
    path: '/api/deliveries',
    credential: 'api-key',
    tag: TAG,
    summary: 'List deliveries',
    description: 'Every webhook request with a valid signature, the newest first.',
    query: deliveryListQuery,
    answer: deliveryListSchema,
    run: ({ service, caller }, { query }) => listDeliveries(service, caller.accountId, query),
  }),
  route({
    operationId: 'getDelivery',
    method: 'GET',
    path: '/api/deliveries/:id',
    credential: 'api-key',
    tag: TAG,
    summary: 'Get a delivery with its headers and body',
    answer: deliveryDetailSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => getDelivery(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'retryDelivery',
    method: 'POST',
    path: '/api/deliveries/:id/retry',
    credential: 'api-key',
    tag: TAG,
    summary: 'Process a delivery again',
    description: 'Works in any status. Nothing counts twice, and a delivery that became a sale keeps that outcome.',
    answer: deliveryDetailSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async run({ service, caller: { accountId } }, { parameters: { id } }) {
      await retryDelivery(service, accountId, id);
      return getDelivery(service, accountId, id);
    },
  }),
] as const;
