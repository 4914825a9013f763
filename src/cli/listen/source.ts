import type { Service } from '../../app/service.ts';
import type { EventType } from '../../core/event.ts';
import type { AccountId } from '../../core/ids.ts';
import { ServiceError } from '../../errors.ts';
import { createListener, deleteListener, fetchEvents } from '../../events/listeners.ts';
import type { FetchedEvents } from '../../events/schemas.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

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

export function databaseSource(service: Service, accountId: AccountId): EventSource {
  return {
    begin: async (types) => (await createListener(service, accountId, types)).id,
    async fetch(id, received) {
      try {
        return (await fetchEvents(service, accountId, id, received)).data;
      } catch (error) {
        throw error instanceof ServiceError && error.code === 'NOT_FOUND' ? new ListenerEnded() : error;
      }
    },
    end: (id) => deleteListener(service, accountId, id),
  };
}

/** @param url of the server, without a trailing slash */
export function serverSource(url: string, apiKey: string): EventSource {
  // biome-ignore lint/suspicious/noExplicitAny: the server answers as its routes declare
  async function call(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.ok) return text === '' ? null : JSON.parse(text);
    const refusal = refusalIn(text);
    const message = refusal?.message ?? `The server answered ${response.status}`;
    if (response.status === 401 || response.status === 403) throw new CommandError(EXIT.configuration, message);
    // a proxy may answer 404 while the server restarts
    if (refusal?.code === 'NOT_FOUND') throw new ListenerEnded(message);
    throw new Error(message);
  }
  return {
    begin: async (types) => (await call('POST', '/api/event-listeners', { types })).id,
    fetch: async (id, received) => (await call('POST', `/api/event-listeners/${id}/fetch`, { received })).data,
    end: async (id) => void (await call('DELETE', `/api/event-listeners/${id}`)),
  };
}

/** The error in an answer; null for an answer from something else, such as a proxy. */
function refusalIn(text: string): { code: string; message: string } | null {
  try {
    const { code, message } = JSON.parse(text).error;
    return { code: String(code), message: String(message) };
  } catch {
    return null;
  }
}
