import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import { TEST_EVENT_TYPE } from '../core/event.ts';
import type { AccountId } from '../core/ids.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import { idsFrom } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { asEventEndpoint } from './endpoint-columns.ts';
import { requireEventEndpoint } from './endpoints.ts';
import { getEvent, requireEvent } from './list.ts';
import { findSubscribers } from './queries/endpoints.ts';
import { findEventTypes, findLastEventId, keepEvents, putEventDeliveries } from './queries/events.ts';
import { deliveryOf, newEvent, storeEvents } from './record.ts';
import type { EventDetailResource, ResendRangeInput } from './schemas.ts';

const EVENTS_PER_UNIT = 200;

/**
 * Sends an example event to one endpoint, with the endpoint itself as data. It is processed like every event. The
 * result is the event, whose attempts show what happened.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` for an endpoint that is disabled
 */
export async function sendTestEvent(
  service: Service,
  accountId: AccountId,
  endpointId: string,
): Promise<EventDetailResource> {
  const { database, clock } = service;
  const eventId = await database.write(async (tx) => {
    const endpoint = await requireEnabled(tx, accountId, endpointId);
    const event = newEvent({ accountId, type: TEST_EVENT_TYPE, occurredAt: clock() }, asEventEndpoint(endpoint));
    storeEvents(tx, [event], [endpoint]);
    noteChange(tx, { resourceId: endpointId });
    return event.id;
  });
  return getEvent(service, accountId, eventId);
}

/**
 * Sends one event again under the same id, either to one endpoint, or to all endpoints that subscribe to its type or
 * received it before.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when there is no endpoint to send it to
 */
export async function resendEvent(
  service: Service,
  accountId: AccountId,
  id: string,
  endpointId: string | null,
): Promise<EventDetailResource> {
  const { database, clock } = service;
  await database.write(async (tx) => {
    const event = await requireEvent(tx, accountId, id);
    const endpoints =
      endpointId === null
        ? (await findSubscribers(tx, accountId)).filter(({ types }) => types.includes(` ${event.type} `))
        : [await requireEnabled(tx, accountId, endpointId)];
    const webhooks = endpoints.filter(({ kind }) => kind === 'webhook');
    if (webhooks.length === 0) {
      throw new ServiceError('INVALID_STATE', `No enabled endpoint takes ${event.type}; name one`);
    }
    await tx.claim(() => webhooks.map((endpoint) => claimKeys.eventEndpoint(endpoint.id)));
    if (!(await keepEvents(tx, accountId, [event.id])).has(event.id)) throw notFound('event', id);
    const now = clock();
    await putEventDeliveries(
      tx,
      webhooks.map((endpoint) => deliveryOf(event, endpoint, now)),
    );
    noteChange(tx, { resourceId: id });
  });
  return getEvent(service, accountId, id);
}

/**
 * Sends the events of a period to one endpoint again: those of its types, in order and under the same ids. Events are
 * kept for `EVENT_RETENTION_DAYS`. Works in slices, each a unit of work, so an interrupted request may be repeated.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` for an endpoint that is disabled; `VALIDATION_ERROR`
 */
export async function resendRange(
  { database, clock }: Service,
  accountId: AccountId,
  endpointId: string,
  { since, until }: ResendRangeInput,
): Promise<{ count: number }> {
  if (since >= (until ?? clock() + 1)) {
    const problem = { path: 'since', message: 'must be in the past' };
    throw validationError([until === null ? problem : { path: 'until', message: 'must be after since' }]);
  }
  const beforeId =
    until === null ? await database.report((tx) => afterLastEvent(tx, accountId)) : idsFrom('evt', until);
  let afterId: string = idsFrom('evt', since);
  let count = 0;
  let isFirst = true;
  for (;;) {
    const range = { afterId, beforeId, limit: EVENTS_PER_UNIT };
    const events = await database.report((tx) => findEventTypes(tx, accountId, range));
    count += await database.write(async (tx) => {
      await tx.claim(() => [claimKeys.eventEndpoint(endpointId)]);
      const endpoint = await requireEnabled(tx, accountId, endpointId);
      const subscribed = events.filter(({ type }) => endpoint.types.includes(` ${type} `));
      // others have been deleted since they were read
      const kept = await keepEvents(
        tx,
        accountId,
        subscribed.map(({ id }) => id),
      );
      const wanted = subscribed.filter(({ id }) => kept.has(id));
      const now = clock();
      await putEventDeliveries(
        tx,
        wanted.map((event) => deliveryOf({ ...event, accountId }, endpoint, now)),
      );
      if (isFirst) noteChange(tx, { resourceId: endpointId });
      return wanted.length;
    });
    isFirst = false;
    if (events.length < EVENTS_PER_UNIT) return { count };
    afterId = events.at(-1)?.id ?? beforeId;
    await yieldToEventLoop();
  }
}

/** Sorts after every event. Their ids may be ahead of the clock, which may have been set back since. */
async function afterLastEvent(tx: Transaction, accountId: AccountId): Promise<string> {
  const lastId = await findLastEventId(tx, accountId);
  return lastId === undefined ? idsFrom('evt', 0) : `${lastId}0`;
}

async function requireEnabled(tx: Transaction, accountId: AccountId, endpointId: string) {
  const endpoint = await requireEventEndpoint(tx, accountId, endpointId);
  if (endpoint.status === 'enabled') return endpoint;
  throw new ServiceError('INVALID_STATE', `Event endpoint ${endpointId} is disabled; enable it first`);
}
