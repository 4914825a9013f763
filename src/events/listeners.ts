import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { EventType } from '../core/event.ts';
import type { AccountId } from '../core/ids.ts';
import { HOUR_MS, isoTime } from '../core/time.ts';
import { notFound, ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import { typesText, untilKnown } from './endpoints.ts';
import { deleteWaiting, insertEventEndpoint } from './queries/endpoints.ts';
import {
  countListeners,
  deleteListenerRow,
  deleteReceived,
  findSilentListeners,
  findUnreceived,
  touchListener,
} from './queries/listeners.ts';
import type { FetchedEvents, ListenerResource } from './schemas.ts';
import { createEventSecret, sealEventSecrets } from './secrets.ts';

/** A listener that has not fetched for so long is gone; one that lost its connection may come back until then. */
const SILENCE_MS_MAX = HOUR_MS;
const LISTENERS_MAX = 10;
const EVENTS_PER_FETCH = 100;
const LISTENERS_PER_ROUND = 50;

/**
 * Begins to keep an account's events for somebody who fetches them, such as `refbridge listen` on a developer's machine. It
 * ends when it is deleted, or an hour after the last fetch.
 *
 * @throws ServiceError `CONFLICT` for one too many
 */
export async function createListener(
  { database, clock, sealer }: Service,
  accountId: AccountId,
  types: readonly EventType[],
): Promise<ListenerResource> {
  const now = clock();
  const id = createId('evp');
  await database.write(
    async (tx) => {
      if ((await countListeners(tx, accountId)) >= LISTENERS_MAX) {
        throw new ServiceError('CONFLICT', `An account has at most ${LISTENERS_MAX} listeners at once; end one first`);
      }
      await insertEventEndpoint(
        tx,
        {
          id,
          accountId,
          kind: 'listener',
          url: '',
          description: null,
          types: typesText(types),
          sealedSecrets: sealEventSecrets(sealer, [{ secret: createEventSecret(), until: null }]),
          status: 'enabled',
          disabledReason: null,
          disabledAt: null,
          createdAt: now,
        },
        types.includes('sale.approved') ? '' : null,
      );
      noteChange(tx, { resourceId: id, after: { types } });
    },
    { alone: true },
  );
  await untilKnown();
  return { id, types: [...types], expiresAt: isoTime(now + SILENCE_MS_MAX) };
}

/**
 * Takes note of what the listener has handled, and answers what it has not, the oldest first. An event is answered until it
 * is confirmed, so a lost answer loses nothing; the listener knows by its id what it has handled.
 *
 * @throws ServiceError `NOT_FOUND`, also when it has ended
 */
export function fetchEvents(
  { database, clock }: Service,
  accountId: AccountId,
  id: string,
  received: readonly string[],
): Promise<FetchedEvents> {
  return database.write(async (tx) => {
    await tx.claim(() => [claimKeys.eventEndpoint(id)]);
    const listener = await touchListener(tx, accountId, id, clock());
    if (!listener) throw notFound('event listener', id);
    await deleteReceived(tx, listener.id, received);
    return { data: await findUnreceived(tx, listener.id, EVENTS_PER_FETCH) };
  });
}

/** @throws ServiceError `NOT_FOUND`, also when it has ended */
export async function deleteListener({ database, clock }: Service, accountId: AccountId, id: string): Promise<void> {
  await database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.eventEndpoint(id)]);
      const listener = await touchListener(tx, accountId, id, clock());
      if (!listener) throw notFound('event listener', id);
      await deleteWaiting(tx, id);
      await deleteListenerRow(tx, listener.id);
      noteChange(tx, { resourceId: id });
    },
    { alone: true },
  );
}

/** Ends the listeners that have been silent for an hour. Returns how many. */
export async function endSilentListeners(service: Service): Promise<number> {
  const before = service.clock() - SILENCE_MS_MAX;
  const silent = await service.database.read((tx) => findSilentListeners(tx, before, LISTENERS_PER_ROUND));
  for (const { id, accountId } of silent) await deleteListener(service, accountId, id);
  return silent.length;
}
