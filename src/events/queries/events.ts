import type { EventStatus, SentEventType } from '../../core/event.ts';
import type { AccountId, EventEndpointId, EventId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  listParameters,
  type PageBounds,
  pageSql,
  walkOfAccount,
  walkOfPeriod,
} from '../../storage/list-filters.ts';
import { manyIds } from '../../storage/many-ids.ts';
import { manyRows } from '../../storage/many-rows.ts';

/** A type, not an interface, so that it can serve as a row of parameters. */
export type EventRow = {
  id: EventId;
  accountId: AccountId;
  type: SentEventType;
  /** JSON, as sent. */
  body: string;
  createdAt: number;
};

const COLUMNS = 'v.id, v.account_id AS "accountId", v.type, v.body, v.created_at AS "createdAt"';

/** An event to be delivered to an endpoint. */
export type NewEventDelivery = {
  endpointId: EventEndpointId;
  eventId: EventId;
  accountId: AccountId;
  /** Null for a listener, which fetches its events. */
  nextAttemptAt: number | null;
  occurredAt: number;
};

export const insertEvents = manyRows<keyof EventRow>({
  before: 'INSERT INTO events (id, account_id, type, body, created_at) VALUES',
  names: ['id', 'accountId', 'type', 'body', 'createdAt'],
  after: '',
});

const insertRows = manyRows<keyof NewEventDelivery | 'status' | 'zero'>({
  before: `INSERT INTO event_deliveries
    (endpoint_id, event_id, account_id, status, attempts, tries, next_attempt_at, occurred_at) VALUES`,
  names: ['endpointId', 'eventId', 'accountId', 'status', 'zero', 'zero', 'nextAttemptAt', 'occurredAt'],
  // an event that is sent again waits like a new one, but its attempt numbers continue
  after: `ON CONFLICT (endpoint_id, event_id) DO UPDATE SET status = excluded.status, tries = 0,
    next_attempt_at = excluded.next_attempt_at`,
});

/** Adds deliveries, or restarts existing ones. */
export function putEventDeliveries(tx: Transaction, deliveries: readonly NewEventDelivery[]): Promise<number> {
  return insertRows(
    tx,
    deliveries.map((delivery) => ({ ...delivery, status: 'waiting', zero: 0 })),
  );
}

export function findEvent(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<EventRow>(`SELECT ${COLUMNS} FROM events v WHERE v.account_id = @accountId AND v.id = @id`, {
    accountId,
    id,
  });
}

const lockRows = manyIds<{ id: EventId }>(
  (list) => `SELECT v.id FROM events v WHERE v.account_id = @accountId AND v.id IN ${list}
    ORDER BY v.id /* postgres: FOR KEY SHARE */`,
);

/** Those of the events that still exist. They are not deleted before the unit ends. */
export async function keepEvents(
  tx: Transaction,
  accountId: AccountId,
  ids: readonly EventId[],
): Promise<ReadonlySet<EventId>> {
  return new Set((await lockRows(tx, ids, { accountId })).map(({ id }) => id));
}

/** Reads the page of the endpoint's deliveries first, so that finding its events costs a page. */
const findOfEndpoint = (status: string) =>
  `SELECT ${COLUMNS}
   FROM (SELECT d.event_id FROM event_deliveries d
     WHERE d.endpoint_id = (SELECT e.id FROM event_endpoints e
         WHERE e.account_id = @accountId AND e.status <> 'deleted' AND e.id = @endpointId)
       ${status} AND d.event_id < @beforeId
     ORDER BY d.event_id DESC LIMIT @limit) page
   JOIN events v ON v.account_id = @accountId AND v.id = page.event_id
   ORDER BY page.event_id DESC`;

const OF_ENDPOINT = findOfEndpoint('');
const OF_ENDPOINT_AND_STATUS = findOfEndpoint('AND d.status = @status');

/** The start of a page of an endpoint's events. */
export interface EndpointPage extends PageBounds {
  endpointId: string;
}

/** The newest events that an endpoint has received or will receive; none of a deleted one. */
export function findEventsOfEndpoint(tx: Transaction, accountId: AccountId, page: EndpointPage) {
  const { endpointId, beforeId, limit } = page;
  return tx.all<EventRow>(OF_ENDPOINT, { accountId, endpointId, beforeId, limit });
}

/** Like `findEventsOfEndpoint`, limited to one status. */
export function findEventsByStatus(tx: Transaction, accountId: AccountId, page: EndpointPage, status: EventStatus) {
  const { endpointId, beforeId, limit } = page;
  return tx.all<EventRow>(OF_ENDPOINT_AND_STATUS, { accountId, endpointId, status, beforeId, limit });
}

const LIST = {
  alias: 'v',
  columns: {},
  narrow: { time: 'v.created_at', columns: { type: 'v.type' } },
  walks: { period: walkOfPeriod('v'), account: walkOfAccount('v') },
};

/** Newest first. */
export async function findEvents(tx: Transaction, accountId: AccountId, filters: Filters, bounds: PageBounds) {
  return tx.all<EventRow>(`SELECT ${COLUMNS} FROM events v WHERE ${pageSql(filters, LIST)}`, {
    accountId,
    ...listParameters(filters, bounds),
  });
}

/** The id that sorts last among the account's events; undefined when it has none. */
export async function findLastEventId(tx: Transaction, accountId: AccountId): Promise<EventId | undefined> {
  const sql = 'SELECT v.id FROM events v WHERE v.account_id = @accountId ORDER BY v.id DESC LIMIT 1';
  return (await tx.get<{ id: EventId }>(sql, { accountId }))?.id;
}

/** The ids and types of an account's events in a period, after an id, oldest first. */
export function findEventTypes(
  tx: Transaction,
  accountId: AccountId,
  { afterId, beforeId, limit }: { afterId: string; beforeId: string; limit: number },
) {
  return tx.all<Pick<EventRow, 'id' | 'type' | 'createdAt'>>(
    `SELECT v.id, v.type, v.created_at AS "createdAt" FROM events v
     WHERE v.account_id = @accountId AND v.id > @afterId AND v.id < @beforeId ORDER BY v.id LIMIT @limit`,
    { accountId, afterId, beforeId, limit },
  );
}

/** The progress of an event's delivery to an endpoint. */
export interface EventDeliveryView {
  endpointId: EventEndpointId;
  eventId: EventId;
  url: string;
  status: EventStatus;
  attempts: number;
  nextAttemptAt: number | null;
  attemptedAt: number | null;
  responseStatus: number | null;
  error: string | null;
  deliveredAt: number | null;
}

const findByEvents = manyIds<EventDeliveryView>(
  (list) => `SELECT d.endpoint_id AS "endpointId", d.event_id AS "eventId", e.url, d.status, d.attempts,
      d.next_attempt_at AS "nextAttemptAt", d.attempted_at AS "attemptedAt", d.response_status AS "responseStatus",
      d.error, d.delivered_at AS "deliveredAt"
    FROM event_endpoints e JOIN event_deliveries d ON d.endpoint_id = e.id AND d.event_id IN ${list}
    WHERE e.account_id = @accountId AND e.status <> 'deleted' AND e.kind = 'webhook'`,
);

/** The deliveries of these events to the account's endpoints, except deleted endpoints. */
export function findEventDeliveries(tx: Transaction, accountId: AccountId, eventIds: readonly EventId[]) {
  return eventIds.length === 0 ? Promise.resolve([]) : findByEvents(tx, eventIds, { accountId });
}

export interface EventAttemptView {
  endpointId: EventEndpointId;
  number: number;
  attemptedAt: number;
  durationMs: number;
  responseStatus: number | null;
  error: string | null;
  response: string | null;
}

/** Every attempt to send one event, by endpoint and number. */
export function findEventAttempts(tx: Transaction, accountId: AccountId, eventId: EventId) {
  return tx.all<EventAttemptView>(
    `SELECT a.endpoint_id AS "endpointId", a.number, a.attempted_at AS "attemptedAt", a.duration_ms AS "durationMs",
       a.response_status AS "responseStatus", a.error, a.response
     FROM event_endpoints e JOIN event_attempts a ON a.endpoint_id = e.id AND a.event_id = @eventId
     WHERE e.account_id = @accountId AND e.status <> 'deleted'
     ORDER BY a.endpoint_id, a.number`,
    { accountId, eventId },
  );
}
