import type { Fixture } from './fixtures.ts';

/** Events of payments and refunds that Polar's API lists. */
export const EVENT_TYPES: ReadonlySet<string> = new Set(['order.paid', 'refund.created', 'refund.updated']);

export type ListedRecord = Record<string, unknown> & { id: string; created_at: string };

/** The record of an event, as the API lists it: last modified when the event occurred. */
export function polarRecord(fixture: Fixture): ListedRecord {
  const { type, data, timestamp } = JSON.parse(fixture.rawBody.toString('utf8'));
  const isCreated = type === 'refund.created' && data.created_at === timestamp;
  return { ...data, modified_at: isCreated ? null : timestamp };
}
