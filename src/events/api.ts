import { pageInput } from '../app/page.ts';
import { route } from '../app/route.ts';
import {
  changeEventEndpoint,
  createEventEndpoint,
  deleteEventEndpoint,
  getEventEndpoint,
  listEventEndpoints,
  rotateEventSecret,
} from './endpoints.ts';
import { getEvent, listEvents } from './list.ts';
import { createListener, deleteListener, fetchEvents } from './listeners.ts';
import { resendEvent, resendRange, sendTestEvent } from './resend.ts';
import {
  eventDetailSchema,
  eventEndpointInput,
  eventEndpointListSchema,
  eventEndpointSchema,
  eventEndpointWithSecretSchema,
  eventListQuery,
  eventListSchema,
  fetchedSchema,
  fetchInput,
  listenerInput,
  listenerSchema,
  resendInput,
  resendRangeInput,
  resentSchema,
} from './schemas.ts';

const TAG = 'Events';

const eventEndpointListQuery = pageInput('evp');

/** The endpoints that events are sent to. */
const eventEndpointRoutes = [
  route({
    operationId: 'createEventEndpoint',
    method: 'POST',
    path: '/api/event-endpoints',
    credential: 'api-key',
    action: 'event_endpoint.create',
    tag: TAG,
    summary: 'Create an event endpoint',
    description: 'Events are posted to it as Standard Webhooks 1.0.0. Only this answer shows the secret.',
    body: eventEndpointInput,
    status: 201,
    answer: eventEndpointWithSecretSchema,
    errors: ['CONFLICT'],
    run: ({ service, caller }, { body }) => createEventEndpoint(service, caller.accountId, body),
  }),
  route({
    operationId: 'listEventEndpoints',
    method: 'GET',
    path: '/api/event-endpoints',
    credential: 'api-key',
    tag: TAG,
    summary: 'List event endpoints',
    query: eventEndpointListQuery,
    answer: eventEndpointListSchema,
    run: ({ service, caller }, { query }) => listEventEndpoints(service, caller.accountId, query),
  }),
  route({
    operationId: 'getEventEndpoint',
    method: 'GET',
    path: '/api/event-endpoints/:id',
    credential: 'api-key',
    tag: TAG,
    summary: 'Get an event endpoint',
    answer: eventEndpointSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => getEventEndpoint(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'updateEventEndpoint',
    method: 'PATCH',
    path: '/api/event-endpoints/:id',
    credential: 'api-key',
    action: 'event_endpoint.update',
    tag: TAG,
    summary: 'Change an event endpoint',
    description: 'An endpoint that is enabled again, or gets another URL, first receives what waits for it.',
    patch: eventEndpointInput,
    answer: eventEndpointSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters, patch }) =>
      changeEventEndpoint(service, caller.accountId, parameters.id, patch),
  }),
  route({
    operationId: 'deleteEventEndpoint',
    method: 'DELETE',
    path: '/api/event-endpoints/:id',
    credential: 'api-key',
    action: 'event_endpoint.delete',
    tag: TAG,
    summary: 'Delete an event endpoint',
    description: 'Events still waiting for it are not sent.',
    errors: ['NOT_FOUND'],
    async run({ service, caller }, { parameters }) {
      await deleteEventEndpoint(service, caller.accountId, parameters.id);
      return undefined;
    },
  }),
  route({
    operationId: 'rotateEventEndpointSecret',
    method: 'POST',
    path: '/api/event-endpoints/:id/rotate',
    credential: 'api-key',
    action: 'event_endpoint.rotate',
    tag: TAG,
    summary: 'Rotate the secret of an event endpoint',
    description: 'For 24 hours events are signed with the old secret as well. Only this answer shows the new one.',
    answer: eventEndpointWithSecretSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => rotateEventSecret(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'testEventEndpoint',
    method: 'POST',
    path: '/api/event-endpoints/:id/test',
    credential: 'api-key',
    action: 'event_endpoint.test',
    tag: TAG,
    summary: 'Send a test event',
    description: 'Its type is `event_endpoint.test`, its data is the endpoint. The event shows the result.',
    status: 202,
    answer: eventDetailSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters }) => sendTestEvent(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'resendEvents',
    method: 'POST',
    path: '/api/event-endpoints/:id/resend',
    credential: 'api-key',
    action: 'event_endpoint.resend',
    tag: TAG,
    summary: 'Send the events of a period again',
    description: 'Sends the events of the types that the endpoint takes, in order, each under its own id.',
    body: resendRangeInput,
    status: 202,
    answer: resentSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters, body }) => resendRange(service, caller.accountId, parameters.id, body),
  }),
] as const;

/** For `refbridge listen`. */
const listenerRoutes = [
  route({
    operationId: 'createEventListener',
    method: 'POST',
    path: '/api/event-listeners',
    credential: 'api-key',
    action: 'event_listener.create',
    tag: TAG,
    summary: 'Start fetching events',
    description:
      'For a machine that cannot receive requests: from now on, events are kept for it until an hour after its last fetch. ' +
      '`refbridge listen` uses this.',
    body: listenerInput,
    bodyIsOptional: true,
    status: 201,
    answer: listenerSchema,
    errors: ['CONFLICT'],
    run: ({ service, caller }, { body }) => createListener(service, caller.accountId, body.types),
  }),
  route({
    operationId: 'fetchEvents',
    method: 'POST',
    path: '/api/event-listeners/:id/fetch',
    credential: 'api-key',
    tag: TAG,
    summary: 'Fetch events',
    description: 'Returns each event until `received` names it.',
    body: fetchInput,
    bodyIsOptional: true,
    answer: fetchedSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters, body }) =>
      fetchEvents(service, caller.accountId, parameters.id, body.received),
  }),
  route({
    operationId: 'deleteEventListener',
    method: 'DELETE',
    path: '/api/event-listeners/:id',
    credential: 'api-key',
    action: 'event_listener.delete',
    tag: TAG,
    summary: 'Stop fetching events',
    errors: ['NOT_FOUND'],
    async run({ service, caller }, { parameters }) {
      await deleteListener(service, caller.accountId, parameters.id);
      return undefined;
    },
  }),
] as const;

/** Events and their receivers. */
export const eventRoutes = [
  ...eventEndpointRoutes,
  route({
    operationId: 'listEvents',
    method: 'GET',
    path: '/api/events',
    credential: 'api-key',
    tag: TAG,
    summary: 'List events',
    description: 'Newest first. An event that somebody receives is kept for `EVENT_RETENTION_DAYS`.',
    query: eventListQuery,
    answer: eventListSchema,
    run: ({ service, caller }, { query }) => listEvents(service, caller.accountId, query),
  }),
  route({
    operationId: 'getEvent',
    method: 'GET',
    path: '/api/events/:id',
    credential: 'api-key',
    tag: TAG,
    summary: 'Get an event with its attempts',
    answer: eventDetailSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => getEvent(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'resendEvent',
    method: 'POST',
    path: '/api/events/:id/resend',
    credential: 'api-key',
    action: 'event.resend',
    tag: TAG,
    summary: 'Send an event again',
    description: 'Under the same id, to every endpoint that takes its type, or to one of them.',
    body: resendInput,
    bodyIsOptional: true,
    status: 202,
    answer: eventDetailSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters, body }) =>
      resendEvent(service, caller.accountId, parameters.id, body.endpointId),
  }),
  ...listenerRoutes,
] as const;
