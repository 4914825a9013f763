import type { Fixture } from './fixtures.ts';

/** Events of entities that Paddle's API lists. */
export const EVENT_TYPES: ReadonlySet<string> = new Set([
  'transaction.completed',
  'adjustment.created',
  'adjustment.updated',
  'customer.created',
  'customer.updated',
]);

export type ListedRecord = Record<string, unknown> & { id: string };

/** The entity of an event, as the API lists it: last changed when the event occurred. */
export function paddleRecord(fixture: Fixture): ListedRecord {
  const { data, occurred_at: occurredAt } = JSON.parse(fixture.rawBody.toString('utf8'));
  return { ...data, updated_at: occurredAt };
}

export interface Listed {
  transactions?: ListedRecord[];
  adjustments?: ListedRecord[];
}

/** What the API lists for the entity of an event; customers come with their transactions. */
export function listedOf(fixture: Fixture): Listed {
  const record = paddleRecord(fixture);
  if (fixture.eventType.startsWith('transaction')) return { transactions: [{ ...record, customer: null }] };
  if (fixture.eventType.startsWith('adjustment')) return { adjustments: [record] };
  const payments = [{ status: 'captured', captured_at: record.updated_at }];
  const times = { created_at: record.created_at, updated_at: record.updated_at };
  return { transactions: [{ id: 'txn_1', customer: record, payments, ...times }] };
}
