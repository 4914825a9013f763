import type { EventType } from '../core/event.ts';
import type { AccountId } from '../core/ids.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { bodyOf } from './body.ts';
import { type EventRow, insertEvents, type NewEventDelivery, putEventDeliveries } from './queries/events.ts';
import { type Subscriber, subscribersOf } from './subscriptions.ts';

/** What happened, and how to read the resource that describes it. */
export interface Happening {
  accountId: AccountId;
  type: EventType;
  /** Epoch milliseconds. */
  occurredAt: number;
  /**
   * The resource as the API returns it. Called only when somebody subscribes to the event. May await only queries of
   * the unit.
   */
  data(): Promise<object> | object;
}

/**
 * Records an event in the unit of work that causes it: the event is sent if and only if that unit is committed. Reads
 * and writes nothing when nobody subscribes to it.
 */
export async function recordEvent(tx: Transaction, { accountId, type, occurredAt, data }: Happening): Promise<void> {
  const subscribers = await subscribersOf(tx, accountId, type);
  if (subscribers.length === 0) return;
  // a failed write then throws its own error instead of appearing as a missing resource
  await tx.settled();
  storeEvents(tx, [newEvent({ accountId, type, occurredAt }, await data())], subscribers);
}

/** Like `recordEvent`, for many events of one type and account at once. */
export async function recordEvents(
  tx: Transaction,
  { accountId, type }: Pick<Happening, 'accountId' | 'type'>,
  happenings: readonly { occurredAt: number; data: object }[],
): Promise<void> {
  const subscribers = await subscribersOf(tx, accountId, type);
  if (subscribers.length === 0) return;
  const events = happenings.map(({ occurredAt, data }) => newEvent({ accountId, type, occurredAt }, data));
  storeEvents(tx, events, subscribers);
}

/** Stores events and their deliveries to these subscribers. */
export function storeEvents(
  tx: Transaction,
  events: readonly EventRow[],
  subscribers: readonly Omit<Subscriber, 'types'>[],
): void {
  const deliveries = events.flatMap((event) =>
    subscribers.map((subscriber) => deliveryOf(event, subscriber, event.createdAt)),
  );
  tx.unawaited(insertEvents(tx, events));
  tx.unawaited(putEventDeliveries(tx, deliveries));
}

/** @param dueAt when it is due for a webhook, in epoch milliseconds */
export function deliveryOf(
  { id: eventId, accountId, createdAt }: Pick<EventRow, 'id' | 'accountId' | 'createdAt'>,
  { id: endpointId, kind }: Omit<Subscriber, 'types'>,
  dueAt: number,
): NewEventDelivery {
  return { endpointId, eventId, accountId, nextAttemptAt: kind === 'webhook' ? dueAt : null, occurredAt: createdAt };
}

/** The row of an event. */
export function newEvent(
  { accountId, type, occurredAt }: Pick<EventRow, 'accountId' | 'type'> & { occurredAt: number },
  data: object,
): EventRow {
  return { id: createId('evt'), accountId, type, body: bodyOf(type, occurredAt, data), createdAt: occurredAt };
}
