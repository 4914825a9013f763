import { BoundedCache } from '../app/bounded-cache.ts';
import type { EventType } from '../core/event.ts';
import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { type EventEndpoint, findSubscribers } from './queries/endpoints.ts';

/**
 * How long a unit of work relies on what an earlier one read. A change of endpoints is answered after that time, so that
 * every unit that begins after the answer knows of it, in every thread and process.
 */
export const KNOWN_MS = 250;

export type Subscriber = Pick<EventEndpoint, 'id' | 'kind' | 'types'>;

/** The types that anybody of an account wants, by account. Of this thread: units of work have no service. */
const wantedTypes = new BoundedCache<AccountId, string>({
  entriesMax: 10_000,
  maxAgeMs: KNOWN_MS,
  clock: () => performance.now(),
});

/**
 * Those who want the event. Costs nothing while nobody of the account wants such events: that is known for a while from an
 * earlier unit. Otherwise it reads who they are, so that nothing is sent to an endpoint that was just removed.
 */
export async function subscribersOf(tx: Transaction, accountId: AccountId, type: EventType): Promise<Subscriber[]> {
  const known = wantedTypes.get(accountId);
  if (known !== undefined && !known.includes(` ${type} `)) return [];
  const all = await readSubscribers(tx, accountId);
  return all.filter(({ types }) => types.includes(` ${type} `));
}

async function readSubscribers(tx: Transaction, accountId: AccountId): Promise<Subscriber[]> {
  const readAt = performance.now();
  const all = await findSubscribers(tx, accountId);
  wantedTypes.set(accountId, all.map(({ types }) => types).join(''), readAt);
  return all;
}

/**
 * Reads who wants which events, unless that is known; started together with other look-ups, it saves `subscribersOf` a round
 * trip of its own.
 */
export async function lookAheadToSubscribers(tx: Transaction, accountId: AccountId): Promise<void> {
  if (wantedTypes.get(accountId) === undefined) await readSubscribers(tx, accountId);
}

/** Whether anybody of the account wants such events. */
export async function isWanted(tx: Transaction, accountId: AccountId, type: EventType): Promise<boolean> {
  return (await subscribersOf(tx, accountId, type)).length > 0;
}
