import { BoundedCache } from '../app/bounded-cache.ts';
import type { EventType } from '../core/event.ts';
import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { type EventEndpoint, findSubscribers } from './queries/endpoints.ts';

/**
 * How long a unit of work relies on what an earlier unit read. A change of endpoints is confirmed only after this time,
 * so that every unit that starts after the response knows about it, in every thread and process.
 */
export const KNOWN_MS = 250;

export type Subscriber = Pick<EventEndpoint, 'id' | 'kind' | 'types'>;

/** The event types that an account subscribes to. Kept per thread, because units of work have no service. */
const wantedTypes = new BoundedCache<AccountId, string>({
  entriesMax: 10_000,
  maxAgeMs: KNOWN_MS,
  clock: () => performance.now(),
});

/**
 * The subscribers to an event. Costs nothing while the account has no subscribers to its type, which is cached for a
 * short time from an earlier unit. Otherwise the subscribers are read, so that nothing is sent to an endpoint that was
 * just removed.
 */
export function subscribersOf(tx: Transaction, accountId: AccountId, type: EventType): Promise<readonly Subscriber[]> {
  return isKnownUnwanted(accountId, type) ? NOBODY : findSubscribersTo(tx, accountId, type);
}

/** Shared, because every sale asks three times. */
const NOBODY: Promise<readonly Subscriber[]> = Promise.resolve([]);
const UNWANTED = Promise.resolve(false);

/** True while it is cached that nobody subscribes to such events. */
function isKnownUnwanted(accountId: AccountId, type: EventType): boolean {
  const known = wantedTypes.get(accountId);
  return known !== undefined && !known.includes(` ${type} `);
}

async function findSubscribersTo(tx: Transaction, accountId: AccountId, type: EventType): Promise<Subscriber[]> {
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
 * Reads the subscriptions unless they are cached. Started together with other lookups, it saves `subscribersOf` a
 * separate round trip.
 */
export async function lookAheadToSubscribers(tx: Transaction, accountId: AccountId): Promise<void> {
  if (wantedTypes.get(accountId) === undefined) await readSubscribers(tx, accountId);
}

/** True when the account has a subscriber to such events. */
export function isWanted(tx: Transaction, accountId: AccountId, type: EventType): Promise<boolean> {
  if (isKnownUnwanted(accountId, type)) return UNWANTED;
  return findSubscribersTo(tx, accountId, type).then((subscribers) => subscribers.length > 0);
}

/** True when the account has a subscriber to one of these. */
export async function isAnyWanted(
  tx: Transaction,
  accountId: AccountId,
  types: readonly EventType[],
): Promise<boolean> {
  for (const type of types) if (await isWanted(tx, accountId, type)) return true;
  return false;
}
