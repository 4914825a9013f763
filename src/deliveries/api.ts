import { z } from 'zod';
import { answerList, csvAnswer, withCsv } from '../app/csv-list.ts';
import { RawReply, route } from '../app/route.ts';
import { DELIVERIES_FILE } from '../inbox/csv.ts';
import { streamDeliveries } from '../inbox/feed.ts';
import { getDelivery, listDeliveries } from '../inbox/list.ts';
import { deliveryDetailSchema, deliveryListQuery, deliveryListSchema, receiptSchema } from '../inbox/schemas.ts';
import { answerWebhook } from './answer.ts';
import { explainDelivery } from './explain.ts';
import { explainInput, explanationSchema } from './explain-schemas.ts';
import { requireReceiver } from './receive.ts';
import { retryDelivery } from './retry.ts';

const TAG = 'Deliveries';

/** Never parsed, because the signature covers the bytes. */
const signedBody = z.any().meta({
  type: 'object',
  description: "The processor's event, byte for byte as signed.",
}) as z.ZodType<Buffer>;

/** The requests of processors and their outcomes. */
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
    admit: requireReceiver,
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
    description: 'Every webhook request with a valid signature, newest first.',
    query: withCsv(deliveryListQuery),
    answer: deliveryListSchema,
    otherAnswers: [csvAnswer(deliveryListSchema)],
    run: ({ service, caller }, { query }) =>
      answerList(query, (page) => listDeliveries(service, caller.accountId, page), DELIVERIES_FILE),
  }),
  route({
    operationId: 'streamDeliveries',
    method: 'GET',
    path: '/api/deliveries/stream',
    credential: 'api-key',
    tag: TAG,
    summary: 'Follow new deliveries as server-sent events',
    description:
      'Each event is named `delivery` and holds a delivery as the list shows it, with its id as the id of the event. ' +
      'A client that sends `Last-Event-ID` first gets what it missed, and may get a delivery twice. At most 20 streams ' +
      'per account. A later change of a delivery is no event. A stream ends with its key or session.',
    otherAnswers: [
      { status: 200, description: 'The stream; it ends when the server stops.', contentTypes: ['text/event-stream'] },
    ],
    errors: ['UNAVAILABLE'],
    async run({ service, caller, request }) {
      const headers = {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store, no-transform',
        // nginx would otherwise buffer the events
        'X-Accel-Buffering': 'no',
      };
      if (request.method === 'HEAD') return new RawReply(200, headers);
      const { 'last-event-id': lastEventId } = request.headers;
      const last = typeof lastEventId === 'string' ? lastEventId : null;
      return new RawReply(200, headers, await streamDeliveries(service, caller, last));
    },
  }),
  route({
    operationId: 'explainDelivery',
    idempotent: true,
    method: 'POST',
    path: '/api/explain',
    credential: 'api-key',
    scope: 'read',
    role: 'viewer',
    tag: TAG,
    summary: 'Explain what a delivery would become',
    description:
      'Processes a body as if it had just arrived, without checking a signature, and stores nothing: its facts, the ' +
      'attribution step by step, and the commission.',
    body: explainInput,
    largeBody: true,
    answer: explanationSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { body }) => explainDelivery(service, caller.accountId, body),
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
    idempotent: true,
    method: 'POST',
    path: '/api/deliveries/:id/retry',
    credential: 'api-key',
    action: 'delivery.retry',
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
