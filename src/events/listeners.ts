import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { EventType } from '../core/event.ts';
import type { AccountId } from '../core/ids.ts';
import { HOUR_MS, isoTime } from '../core/time.ts';
import { notFound, ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { typesText } from './endpoint-columns.ts';
import { untilKnown } from './endpoints.ts';
import { insertEventEndpoint } from './queries/endpoints.ts';
import {
  countListeners,
  deleteListenerRow,
  deleteReceived,
  deleteUnreceived,
  findSilentListeners,
  findUnreceived,
  touchListener,
} from './queries/listeners.ts';
import type { FetchedEvents, ListenerResource } from './schemas.ts';

/** A listener that has not fetched for this long is gone. Until then, one that lost its connection may return. */
const SILENCE_MS_MAX = HOUR_MS;
const LISTENERS_MAX = 10;
const EVENTS_PER_SLICE = 500;
const LISTENERS_PER_ROUND = 50;

/**
 * Starts to keep an account's events for somebody who fetches them, such as `refbridge listen` on a developer's
 * machine. The listener ends when it is deleted, or an hour after its last fetch.
 *
 * @throws ServiceError `CONFLICT` when the account has the maximum number of listeners
 */
export async function createListener(
  { database, clock }: Service,
  accountId: AccountId,
  types: readonly EventType[],
): Promise<ListenerResource> {
  const now = clock();
  const id = createId('evp');
  await database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.eventEndpoints(accountId)]);
      if ((await countListeners(tx, accountId)) >= LISTENERS_MAX) {
        const advice = 'end one, or wait: a listener that fetches nothing ends after an hour';
        throw new ServiceError('CONFLICT', `An account has at most ${LISTENERS_MAX} listeners at once; ${advice}`);
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
          // the one who fetches holds the API key: nothing is signed
          sealedSecrets: null,
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
 * Records which events the listener has handled, and returns the rest, oldest first. An event is returned until it is
 * confirmed, so a lost response loses nothing; the listener recognizes handled events by id.
 *
 * @throws ServiceError `NOT_FOUND`, also when the listener has ended
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
    return { data: await findUnreceived(tx, listener.id) };
  });
}

/**
 * Ends a listener. What waits for it is deleted in slices, so that other requests go on; if it is interrupted, the listener
 * has not ended.
 *
 * @throws ServiceError `NOT_FOUND`, also when the listener has ended
 */
export async function deleteListener({ database, clock }: Service, accountId: AccountId, id: string): Promise<void> {
  const deleteSlice = async (tx: Transaction) => {
    await tx.claim(() => [claimKeys.eventEndpoint(id)]);
    const listener = await touchListener(tx, accountId, id, clock());
    if (!listener) throw notFound('event listener', id);
    if ((await deleteUnreceived(tx, listener.id, EVENTS_PER_SLICE)) === EVENTS_PER_SLICE) return false;
    await deleteListenerRow(tx, listener.id);
    noteChange(tx, { resourceId: id });
    return true;
  };
  while (!(await database.write(deleteSlice, { alone: true })));
}

/** Ends the listeners that have not fetched for an hour. Returns their number. */
export async function endSilentListeners(service: Service): Promise<number> {
  const before = service.clock() - SILENCE_MS_MAX;
  const silent = await service.database.read((tx) => findSilentListeners(tx, before, LISTENERS_PER_ROUND));
  for (const { id, accountId } of silent) await deleteListener(service, accountId, id);
  return silent.length;
}
