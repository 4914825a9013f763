import type { Service } from '../../app/service.ts';
import type { EventType } from '../../core/event.ts';
import type { AccountId } from '../../core/ids.ts';
import { ServiceError } from '../../errors.ts';
import type { FetchedEvents } from '../../events/schemas.ts';
import type { Remote } from '../api/remote.ts';
import { createRemoteApi } from '../api/remote-api.ts';

/** Where the events come from: a server, through its API, or the database. */
export interface EventSource {
  /** Starts to keep events; returns the listener's id. */
  begin(types: readonly EventType[]): Promise<string>;
  /** @throws ListenerEnded; Error when the source cannot be reached now */
  fetch(id: string, received: readonly string[]): Promise<FetchedEvents['data']>;
  end(id: string): Promise<void>;
}

/** The listener was silent for too long, so its events are no longer kept. */
export class ListenerEnded extends Error {}

const REQUEST_TIMEOUT_MS = 20_000;

export async function databaseSource(service: Service, accountId: AccountId): Promise<EventSource> {
  const { createListener, deleteListener, fetchEvents } = await import('../../events/listeners.ts');
  return {
    begin: async (types) => (await createListener(service, accountId, types)).id,
    fetch: async (id, received) => (await orEnded(fetchEvents(service, accountId, id, received))).data,
    end: (id) => deleteListener(service, accountId, id),
  };
}

export function serverSource(remote: Remote): EventSource {
  const api = createRemoteApi(remote, REQUEST_TIMEOUT_MS);
  return {
    begin: async (types) => (await api.call('createEventListener', { body: { types } })).id,
    fetch: async (id, received) =>
      (await orEnded(api.call('fetchEvents', { parameters: { id }, body: { received } }))).data,
    end: (id) => api.call('deleteEventListener', { parameters: { id } }),
  };
}

/** @throws ListenerEnded where the answer is that there is no such listener */
async function orEnded<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof ServiceError && error.code === 'NOT_FOUND' ? new ListenerEnded() : error;
  }
}
