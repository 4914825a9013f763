import { pageInput } from '../app/page.ts';
import { route } from '../app/route.ts';
import { endpointBody, endpointInputOf, endpointPatch } from './endpoint-fields.ts';
import { endpointListSchema, endpointSchema } from './endpoint-schemas.ts';
import { changeEndpoint, createEndpoint, deleteEndpoint, getEndpoint, listEndpoints } from './endpoints.ts';
import { refusalListSchema } from './refusal-schemas.ts';
import { listRefusals } from './refusals.ts';

const TAG = 'Webhook endpoints';

export const endpointListQuery = pageInput('whe');

/** The endpoints that processors post to, with their settings and secrets. */
export const endpointRoutes = [
  route({
    operationId: 'createWebhookEndpoint',
    method: 'POST',
    path: '/api/webhook-endpoints',
    credential: 'api-key',
    action: 'webhook_endpoint.create',
    tag: TAG,
    summary: 'Create a webhook endpoint',
    description:
      "Secrets may be omitted at first, because a processor's dashboard requires the URL before it shows the secret. " +
      'Until one is set, every delivery is refused.',
    body: endpointBody,
    status: 201,
    answer: endpointSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { body }) => createEndpoint(service, caller.accountId, endpointInputOf(body)),
  }),
  route({
    operationId: 'listWebhookEndpoints',
    method: 'GET',
    path: '/api/webhook-endpoints',
    credential: 'api-key',
    tag: TAG,
    summary: 'List webhook endpoints',
    query: endpointListQuery,
    answer: endpointListSchema,
    run: ({ service, caller }, { query }) => listEndpoints(service, caller.accountId, query),
  }),
  route({
    operationId: 'getWebhookEndpoint',
    method: 'GET',
    path: '/api/webhook-endpoints/:id',
    credential: 'api-key',
    tag: TAG,
    summary: 'Get a webhook endpoint',
    answer: endpointSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => getEndpoint(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'listWebhookRefusals',
    method: 'GET',
    path: '/api/webhook-endpoints/:id/refusals',
    credential: 'api-key',
    tag: TAG,
    summary: 'List why deliveries to a webhook endpoint were refused',
    description:
      'One item per kind of reason, the latest first, at most 20. Refused deliveries are not kept: only the reason, the ' +
      'names of the headers and the event type.',
    answer: refusalListSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => listRefusals(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'updateWebhookEndpoint',
    method: 'PATCH',
    path: '/api/webhook-endpoints/:id',
    credential: 'api-key',
    action: 'webhook_endpoint.update',
    tag: TAG,
    summary: 'Change a webhook endpoint',
    description: '`secrets` replaces the whole list: send the old and the new secret during a rotation.',
    patch: endpointPatch,
    answer: endpointSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters, patch }) =>
      changeEndpoint(service, caller.accountId, parameters.id, patch),
  }),
  route({
    operationId: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: '/api/webhook-endpoints/:id',
    credential: 'api-key',
    action: 'webhook_endpoint.delete',
    tag: TAG,
    summary: 'Delete a webhook endpoint',
    description: 'Its URL answers 404 from then on, and its secrets are deleted.',
    errors: ['NOT_FOUND'],
    async run({ service, caller }, { parameters }) {
      await deleteEndpoint(service, caller.accountId, parameters.id);
      return undefined;
    },
  }),
] as const;
