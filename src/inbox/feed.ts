import { isStillAllowed } from '../accounts/still-allowed.ts';
import type { Callers } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { systemClock } from '../clock.ts';
import type { AccountId, DeliveryId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import { idsFrom } from '../ids.ts';
import { EventStream } from './event-stream.ts';
import { findDeliveryIds } from './queries/feed.ts';
import { type DeliveryView, findDeliveriesById } from './queries/list.ts';
import { asDelivery } from './resource.ts';

/** How often new deliveries are queried, once for all clients of the process. */
const POLL_MS = 1_000;
/** How often the feed checks whether the process is stopping. */
const TICK_MS = 100;
const HEARTBEAT_MS = 15_000;
/** A delivery is committed after it got its id, by another thread or by a process with its own clock. */
const LATE_MS = 10_000;
/** The maximum number of ids per poll. In a larger burst, the newest ids. */
const IDS_MAX = 5_000;
/** The maximum number of messages per poll, and after a reconnect. The list of deliveries has the rest. */
const MESSAGES_MAX = 500;
const STREAMS_PER_ACCOUNT_MAX = 20;
const STREAMS_MAX = 200;

interface Watched {
  streams: Map<EventStream, Callers['api-key']>;
  /** The ids of the last looks that a later look may find again. */
  seen: Set<DeliveryId>;
  /** When the last successful poll began (epoch milliseconds); null before the first poll, which sends nothing. */
  lookedAt: number | null;
  isLooking: boolean;
}

const createFeeds = (service: Service) => new DeliveryFeeds(service);

/**
 * The account's new deliveries as server-sent events, until the client leaves or the process stops. With `lastEventId`,
 * it starts with the deliveries since then and shortly before, because commits are not in id order. The id of an event
 * is the delivery's id, by which a client recognizes repeats.
 *
 * @throws ServiceError `RATE_LIMIT_EXCEEDED` when too many streams are open; `UNAVAILABLE`
 */
export function streamDeliveries(
  service: Service,
  caller: Callers['api-key'],
  lastEventId: string | null,
): Promise<AsyncIterable<string>> {
  return service.state(createFeeds).open(caller, lastEventId);
}

/** Polls for new deliveries once for all streams of this process, as long as there are streams. */
class DeliveryFeeds {
  readonly #service: Service;
  readonly #watched = new Map<AccountId, Watched>();
  #timer: NodeJS.Timeout | null = null;
  /** By `performance.now`, like the times of the streams: it goes on when the clock is set back. */
  #lastLookAt = 0;

  constructor(service: Service) {
    this.#service = service;
  }

  async open(caller: Callers['api-key'], lastEventId: string | null): Promise<AsyncIterable<string>> {
    const { accountId } = caller;
    const now = systemClock();
    const watched = this.#watched.get(accountId) ?? newWatched();
    this.#requireRoom(watched);
    const stream = new EventStream(performance.now(), () => this.#leave(accountId, watched, stream));
    // taken before it waits for the database, so that the limit holds
    watched.streams.set(stream, caller);
    this.#watched.set(accountId, watched);
    try {
      const missed = await this.#missedBy(accountId, lastEventId);
      if (watched.lookedAt === null) {
        for (const id of await this.#recentIds(accountId, now - LATE_MS)) watched.seen.add(id);
        watched.lookedAt ??= now;
      }
      stream.send('retry: 3000\n: connected\n\n', performance.now());
      for (const delivery of missed) stream.send(asMessage(delivery), performance.now());
    } catch (error) {
      stream.end();
      throw error;
    }
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
    return stream;
  }

  #requireRoom({ streams }: Watched): void {
    const count = [...this.#watched.values()].reduce((sum, other) => sum + other.streams.size, 0);
    if (streams.size < STREAMS_PER_ACCOUNT_MAX && count < STREAMS_MAX) return;
    const message = `Too many streams are open (at most ${STREAMS_PER_ACCOUNT_MAX} per account); close one, or list deliveries instead`;
    throw new ServiceError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: 30 });
  }

  #leave(accountId: AccountId, watched: Watched, stream: EventStream): void {
    watched.streams.delete(stream);
    if (watched.streams.size === 0 && this.#watched.get(accountId) === watched) this.#watched.delete(accountId);
    if (this.#watched.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #tick(): void {
    const now = performance.now();
    for (const { streams } of this.#watched.values()) {
      for (const [stream, caller] of streams) {
        if (this.#service.lifecycle.draining) stream.end();
        else if (now - stream.lastSentAt >= HEARTBEAT_MS) this.#sendHeartbeat(stream, caller, now);
      }
    }
    if (now - this.#lastLookAt < POLL_MS) return;
    this.#lastLookAt = now;
    for (const [accountId, watched] of this.#watched) void this.#look(accountId, watched);
  }

  /** A failed poll loses nothing, because the next one covers the same time. */
  async #look(accountId: AccountId, watched: Watched): Promise<void> {
    const { lookedAt } = watched;
    if (watched.isLooking || lookedAt === null) return;
    watched.isLooking = true;
    try {
      const now = systemClock();
      const from = Math.min(lookedAt, now) - LATE_MS;
      const fromId = idsFrom('dlv', from);
      const ids = await this.#recentIds(accountId, from);
      const fresh = ids.filter((id) => !watched.seen.has(id));
      const deliveries = await this.#read(accountId, fresh.slice(0, MESSAGES_MAX));
      const messages = deliveries.map(asMessage);
      if (messages.length > 0) {
        await Promise.all([...watched.streams].map(([stream, caller]) => this.#endUnlessAllowed(stream, caller)));
      }
      for (const message of messages) {
        for (const stream of watched.streams.keys()) stream.send(message, performance.now());
      }
      watched.seen = new Set([...watched.seen, ...fresh].filter((id) => id >= fromId));
      watched.lookedAt = now;
    } catch (error) {
      this.#service.log.warn(
        { reason: error instanceof Error ? error.message : error },
        'delivery stream: could not read new deliveries',
      );
    } finally {
      watched.isLooking = false;
    }
  }

  #sendHeartbeat(stream: EventStream, caller: Callers['api-key'], now: number): void {
    stream.send(': still here\n\n', now);
    // a database that does not answer is asked again with the next one
    this.#endUnlessAllowed(stream, caller).catch(() => {});
  }

  /** Ends a stream whose key was revoked or whose session has ended. */
  async #endUnlessAllowed(stream: EventStream, caller: Callers['api-key']): Promise<void> {
    if (!(await isStillAllowed(this.#service, caller))) stream.end();
  }

  async #missedBy(accountId: AccountId, lastEventId: string | null): Promise<DeliveryView[]> {
    const [, digits] = /^dlv_([0-9a-f]{12})[0-9a-f]{20}$/.exec(lastEventId ?? '') ?? [];
    if (digits === undefined) return [];
    const ids = await this.#recentIds(accountId, Number.parseInt(digits, 16) - LATE_MS, MESSAGES_MAX);
    return this.#read(
      accountId,
      ids.filter((id) => id !== lastEventId),
    );
  }

  #recentIds(accountId: AccountId, from: number, limit = IDS_MAX): Promise<DeliveryId[]> {
    return this.#service.database.report((tx) => findDeliveryIds(tx, accountId, idsFrom('dlv', from), limit));
  }

  #read(accountId: AccountId, ids: readonly DeliveryId[]): Promise<DeliveryView[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return this.#service.database.report((tx) => findDeliveriesById(tx, accountId, ids));
  }
}

function newWatched(): Watched {
  return { streams: new Map(), seen: new Set(), lookedAt: null, isLooking: false };
}

function asMessage(delivery: DeliveryView): string {
  return `event: delivery\nid: ${delivery.id}\ndata: ${JSON.stringify(asDelivery(delivery))}\n\n`;
}
