import { type Page, pageOf, withNarrowing } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { notFound, validationError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import type { PageBounds } from '../storage/list-filters.ts';
import {
  type EventDeliveryView,
  type EventRow,
  findEvent,
  findEventAttempts,
  findEventDeliveries,
  findEvents,
  findEventsByStatus,
  findEventsOfEndpoint,
} from './queries/events.ts';
import type { EventDetailResource, EventListQuery, EventResource } from './schemas.ts';

/**
 * One page of events, newest first, with the endpoints that receive them. An event is stored only when somebody
 * subscribes to it.
 *
 * @throws ServiceError `VALIDATION_ERROR` for filters that cannot be combined
 */
export async function listEvents(
  { database }: Service,
  accountId: AccountId,
  { endpointId, status, type, ...page }: EventListQuery,
): Promise<Page<EventResource>> {
  const hasOthers = type !== null || page.from !== null || page.to !== null;
  if (endpointId === null && status !== null) {
    throw validationError([{ path: 'status', message: 'needs endpointId' }]);
  }
  if (endpointId !== null && hasOthers) {
    throw validationError([{ path: 'endpointId', message: 'cannot be combined with type, from and to' }]);
  }
  return database.report(async (tx) => {
    const find = (bounds: PageBounds) => {
      if (endpointId === null) return findEvents(tx, accountId, withNarrowing({}, bounds), bounds);
      const ofEndpoint = { ...bounds, endpointId };
      if (status === null) return findEventsOfEndpoint(tx, accountId, ofEndpoint);
      return findEventsByStatus(tx, accountId, ofEndpoint, status);
    };
    const { data, nextCursor } = await pageOf({ ...page, values: { type } }, find, (event) => event);
    return { data: await withDeliveries(tx, accountId, data), nextCursor };
  });
}

/** One event with every attempt to send it. @throws ServiceError `NOT_FOUND` */
export function getEvent({ database }: Service, accountId: AccountId, id: string): Promise<EventDetailResource> {
  return database.read(async (tx) => {
    const event = await requireEvent(tx, accountId, id);
    const deliveries = await findEventDeliveries(tx, accountId, [event.id]);
    const attempts = await findEventAttempts(tx, accountId, event.id);
    return {
      ...asEvent(event, deliveries),
      attempts: attempts.map((attempt) => ({ ...attempt, attemptedAt: isoTime(attempt.attemptedAt) })),
    };
  });
}

/** @throws ServiceError `NOT_FOUND`, also after its retention time */
export async function requireEvent(tx: Transaction, accountId: AccountId, id: string): Promise<EventRow> {
  const event = await findEvent(tx, accountId, id);
  if (!event) throw notFound('event', id);
  return event;
}

async function withDeliveries(
  tx: Transaction,
  accountId: AccountId,
  events: readonly EventRow[],
): Promise<EventResource[]> {
  const ids = events.map(({ id }) => id);
  const deliveries = Map.groupBy(await findEventDeliveries(tx, accountId, ids), ({ eventId }) => eventId);
  return events.map((event) => asEvent(event, deliveries.get(event.id) ?? []));
}

function asEvent(event: EventRow, deliveries: readonly EventDeliveryView[]): EventResource {
  return { ...sentOf(event), id: event.id, deliveries: deliveries.map(asDelivery).sort(byEndpoint) };
}

function byEndpoint(one: { endpointId: string }, other: { endpointId: string }): number {
  return one.endpointId < other.endpointId ? -1 : 1;
}

/** The contents of the body, as it was sent. */
function sentOf({ body }: EventRow): Pick<EventResource, 'type' | 'timestamp' | 'data'> {
  const { type, timestamp, data } = JSON.parse(body);
  return { type, timestamp, data };
}

function asDelivery(delivery: EventDeliveryView): EventResource['deliveries'][number] {
  return {
    endpointId: delivery.endpointId,
    url: delivery.url,
    status: delivery.status,
    attempts: delivery.attempts,
    nextAttemptAt: isoTimeOrNull(delivery.nextAttemptAt),
    attemptedAt: isoTimeOrNull(delivery.attemptedAt),
    responseStatus: delivery.responseStatus,
    error: delivery.error,
    deliveredAt: isoTimeOrNull(delivery.deliveredAt),
  };
}
