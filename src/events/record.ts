import type { EventType } from '../core/event.ts';
import type { AccountId } from '../core/ids.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { bodyOf } from './body.ts';
import { type EventRow, insertEvents, type NewEventDelivery, putEventDeliveries } from './queries/events.ts';
import { type Subscriber, subscribersOf } from './subscriptions.ts';

/** What happened, and how to read the resource that tells it. */
export interface Happening {
  accountId: AccountId;
  type: EventType;
  /** Epoch milliseconds. */
  occurredAt: number;
  /** The resource as the API answers it; called only when somebody wants the event. Awaits nothing but queries of the unit. */
  data(): Promise<object> | object;
}

/**
 * Records an event in the unit of work of what it tells: it is sent if and only if that is committed. Writes and reads
 * nothing when nobody wants it.
 */
export async function recordEvent(tx: Transaction, { accountId, type, occurredAt, data }: Happening): Promise<void> {
  const subscribers = await subscribersOf(tx, accountId, type);
  if (subscribers.length === 0) return;
  // what failed says so itself, and not by a resource that is missing
  await tx.settled();
  await storeEvents(tx, [newEvent({ accountId, type, occurredAt }, await data())], subscribers);
}

/** As `recordEvent`, for many things of one type and account that happened at once. */
export async function recordEvents(
  tx: Transaction,
  { accountId, type }: Pick<Happening, 'accountId' | 'type'>,
  happenings: readonly { occurredAt: number; data: object }[],
): Promise<void> {
  const subscribers = await subscribersOf(tx, accountId, type);
  if (subscribers.length === 0) return;
  const events = happenings.map(({ occurredAt, data }) => newEvent({ accountId, type, occurredAt }, data));
  await storeEvents(tx, events, subscribers);
}

/** Stores events, for those who get them. */
export async function storeEvents(
  tx: Transaction,
  events: readonly EventRow[],
  subscribers: readonly Omit<Subscriber, 'types'>[],
): Promise<void> {
  await insertEvents(tx, events);
  await putEventDeliveries(
    tx,
    events.flatMap((event) => subscribers.map((subscriber) => deliveryOf(event, subscriber, event.createdAt))),
  );
}

/** @param dueAt when a webhook gets it, epoch milliseconds */
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
