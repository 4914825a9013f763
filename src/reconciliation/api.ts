import { route } from '../app/route.ts';
import {
  cancelReconciliation,
  createReconciliation,
  getReconciliation,
  listReconciliations,
} from './reconciliations.ts';
import {
  reconciliationDetailSchema,
  reconciliationInput,
  reconciliationListQuery,
  reconciliationListSchema,
} from './schemas.ts';

const TAG = 'Webhook endpoints';

/** What processors say happened, compared with what arrived. */
export const reconciliationRoutes = [
  route({
    operationId: 'reconcileWebhookEndpoint',
    method: 'POST',
    path: '/api/webhook-endpoints/:id/reconcile',
    credential: 'api-key',
    action: 'webhook_endpoint.reconcile',
    tag: TAG,
    summary: 'Book what did not arrive',
    description:
      "Reads the processor's API, with the endpoint's `accessToken`, and stores as deliveries what did not arrive when the " +
      'processor sent it. The server does so in the background; `GET /api/reconciliations/:id` shows its progress. Nothing ' +
      'counts twice, so it can be repeated at any time. An endpoint has one reconciliation at a time.',
    body: reconciliationInput,
    status: 202,
    answer: reconciliationDetailSchema,
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters, body }) => createReconciliation(service, caller, parameters.id, body),
  }),
  route({
    operationId: 'listReconciliations',
    method: 'GET',
    path: '/api/reconciliations',
    credential: 'api-key',
    tag: TAG,
    summary: 'List reconciliations',
    query: reconciliationListQuery,
    answer: reconciliationListSchema,
    run: ({ service, caller }, { query }) => listReconciliations(service, caller.accountId, query),
  }),
  route({
    operationId: 'getReconciliation',
    method: 'GET',
    path: '/api/reconciliations/:id',
    credential: 'api-key',
    tag: TAG,
    summary: 'Get a reconciliation, with what was missing',
    answer: reconciliationDetailSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => getReconciliation(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'cancelReconciliation',
    method: 'POST',
    path: '/api/reconciliations/:id/cancel',
    credential: 'api-key',
    action: 'reconciliation.cancel',
    tag: TAG,
    summary: 'Cancel a reconciliation',
    description: 'It ends within seconds. What it has stored stays.',
    answer: reconciliationDetailSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters }) => cancelReconciliation(service, caller.accountId, parameters.id),
  }),
] as const;
