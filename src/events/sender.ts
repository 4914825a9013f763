import { randomUUID } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { AbandonedLeases } from '../app/abandoned-leases.ts';
import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import type { EventEndpointId } from '../core/ids.ts';
import { messageOf } from '../errors.ts';
import { type Sending, storeAttempt } from './attempt.ts';
import { ATTEMPT_TIMEOUT_MS, createPoster, type Poster } from './post.ts';
import {
  advanceAttempts,
  type DueEndpoint,
  type DueEvent,
  findDueEndpoints,
  findDueEvents,
  findEndpointsDueAfter,
  findOrphan,
  type LeasedEndpoint,
  leaseEndpoint,
  releaseEndpoint,
} from './queries/sending.ts';
import { type EventSecret, openEventSecrets, signatureHeaders } from './secrets.ts';

const POLL_MS = 500;
/** The number of endpoints that this process sends to concurrently, one event at a time each. */
const ENDPOINTS_MAX = 20;
/** The maximum number of these that failed last time. However many endpoints hang, the others are served. */
const FAILING_MAX = 10;
/** Longer than an attempt and its storing take. A process that was killed keeps its endpoints this long. */
const LEASE_MS = 2 * ATTEMPT_TIMEOUT_MS;
/** A time farther ahead was set by a clock that was, or is, ahead of this one. */
const FAR_MS = 2 * LEASE_MS;
/** After this many events, or this long where the receiver is slow, other waiting endpoints get their turn. */
const EVENTS_PER_LEASE = 200;
const TURN_MS = 10_000;
/** How long an attempt may take after `stop`: short, because the process must end. */
export const STOP_MS = 5_000;

export interface SenderOptions {
  /** Resolves names. The default is the system's resolver. */
  lookup?: LookupFunction;
  random?(): number;
  /** Milliseconds that a set clock does not change; `performance.now` by default. */
  stopwatch?(): number;
  pollMs?: number;
  timeoutMs?: number;
  stopMs?: number;
}

export interface EventSender {
  /** Sends what is due, and settles when it is sent. For tests with their own clock. */
  sendDue(): Promise<void>;
  /**
   * Starts no more attempts, and waits until the attempts in progress are stored. After 5 s, it gives up those that have
   * no answer: they are not counted, and the next sender makes them again.
   */
  stop(): Promise<void>;
}

/**
 * Sends events to their endpoints until it is stopped. Any number of processes may do so. An endpoint is leased to one
 * process at a time, so that its events arrive one after the other. Each event is sent at least once: if a process dies
 * between sending an event and storing the result, the event is sent again.
 */
export function startEventSender(service: Service, options: SenderOptions = {}): EventSender {
  const sender = new Sender(service, options);
  sender.start(options.pollMs ?? POLL_MS);
  return sender;
}

class Sender implements EventSender {
  readonly #service: Service;
  readonly #poster: Poster;
  readonly #sending: Sending;
  /** The endpoints that this process is sending to, and whether they failed last time. */
  readonly #running = new Map<EventEndpointId, { isFailing: boolean; done: Promise<void> }>();
  readonly #stopMs: number;
  readonly #giveUp = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> = Promise.resolve();
  #isInRound = false;
  #isStopping = false;
  #isFirst = true;
  readonly #stopwatch: () => number;
  readonly #abandoned: AbandonedLeases<EventEndpointId>;
  #advancedAt = Number.NEGATIVE_INFINITY;

  constructor(
    service: Service,
    { lookup, random = Math.random, timeoutMs, stopMs = STOP_MS, stopwatch }: SenderOptions,
  ) {
    this.#service = service;
    this.#stopMs = stopMs;
    const { allowedHosts } = service.events;
    this.#poster = createPoster({ allowedHosts, ...(lookup && { lookup }), ...(timeoutMs && { timeoutMs }) });
    this.#sending = { leasedBy: randomUUID(), leaseMs: LEASE_MS, random };
    this.#stopwatch = stopwatch ?? (() => performance.now());
    this.#abandoned = new AbandonedLeases(LEASE_MS, this.#stopwatch);
  }

  start(pollMs: number): void {
    this.#timer = setInterval(() => {
      if (!this.#isInRound) this.#round = this.#startDue();
    }, pollMs).unref();
  }

  async sendDue(): Promise<void> {
    await this.#round;
    await this.#startDue();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    const givingUp = setTimeout(() => this.#giveUp.abort(), this.#stopMs);
    await this.#round;
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    clearTimeout(givingUp);
    this.#poster.close();
  }

  /** Leases endpoints that have something to send, as many as there is room for. */
  async #startDue(): Promise<void> {
    if (this.#isStopping || this.#running.size >= ENDPOINTS_MAX) return;
    this.#isInRound = true;
    const { database, clock, log } = this.#service;
    try {
      const now = clock();
      const times = { now, orphan: await this.#findOrphan(), far: now + FAR_MS };
      await this.#advanceAttempts(times);
      const page = { limit: 2 * ENDPOINTS_MAX, takesFailing: this.#takesFailing() };
      const found = await database.read((tx) => findDueEndpoints(tx, times, page));
      const abandoned = this.#abandoned.find(found.filter(isHeld));
      const due = found.filter((endpoint) => !isHeld(endpoint) || abandoned.has(endpoint.id));
      for (const endpoint of due) {
        if (this.#isStopping || !this.#hasRoomFor(endpoint)) continue;
        const { leasedBy, leaseMs } = this.#sending;
        const { id, heldUntil } = endpoint;
        const lease = { id, leasedBy, leasedUntil: now + leaseMs, heldUntil };
        const leased = await database.write((tx) => leaseEndpoint(tx, lease, times), { alone: true });
        if (!leased) continue;
        const done = this.#serve(leased).finally(() => this.#running.delete(leased.id));
        this.#running.set(leased.id, { isFailing: endpoint.failures > 0, done });
      }
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'events: nothing can be sent now');
    } finally {
      this.#isInRound = false;
    }
  }

  /** Events that were recorded while a clock was ahead are due now, and not when the clock gets there again. */
  async #advanceAttempts(times: { now: number; far: number }): Promise<void> {
    if (this.#stopwatch() - this.#advancedAt < LEASE_MS) return;
    this.#advancedAt = this.#stopwatch();
    const { database } = this.#service;
    for (const id of await database.read((tx) => findEndpointsDueAfter(tx, times.far, ENDPOINTS_MAX))) {
      await database.write(async (tx) => {
        await tx.claim(() => [claimKeys.eventEndpoint(id)]);
        await advanceAttempts(tx, id, times);
      });
    }
  }

  #hasRoomFor({ id, failures }: DueEndpoint): boolean {
    if (this.#running.has(id) || this.#running.size >= ENDPOINTS_MAX) return false;
    return failures === 0 || this.#takesFailing();
  }

  #takesFailing(): boolean {
    return [...this.#running.values()].filter(({ isFailing }) => isFailing).length < FAILING_MAX;
  }

  /** On SQLite, only one process serves a file. Any lease from before this process started therefore has no holder. */
  async #findOrphan(): Promise<string> {
    if (!this.#isFirst || this.#service.database.engine !== 'sqlite') return '';
    const orphan = await this.#service.database.read((tx) => findOrphan(tx, this.#sending.leasedBy));
    this.#isFirst = orphan !== undefined;
    return orphan ?? '';
  }

  /** Sends what is due to one endpoint, in order, until an attempt fails or nothing is left. Never rejects. */
  async #serve(endpoint: LeasedEndpoint): Promise<void> {
    const { database, clock, log, sealer } = this.#service;
    try {
      const secrets = endpoint.sealedSecrets === null ? null : openEventSecrets(sealer, endpoint.sealedSecrets);
      const turnEndsAt = this.#stopwatch() + TURN_MS;
      const isTurnOver = () => this.#isStopping || this.#stopwatch() >= turnEndsAt;
      let mayGoOn = secrets !== null;
      for (let sent = 0; mayGoOn && sent < EVENTS_PER_LEASE; ) {
        const events = await database.read((tx) => findDueEvents(tx, endpoint.id, clock()));
        if (events.length === 0) break;
        for (const event of events) {
          mayGoOn &&= !isTurnOver() && (await this.#send(endpoint, secrets ?? [], event));
          sent += 1;
        }
      }
      await database.write((tx) => releaseEndpoint(tx, endpoint.id, this.#sending.leasedBy, clock()), { alone: true });
    } catch (error) {
      // the lease expires by itself, and then sending is tried again
      const reason = messageOf(error);
      log.warn(
        { eventEndpointId: endpoint.id, accountId: endpoint.accountId, reason },
        'events: sending was interrupted',
      );
    }
  }

  async #send(endpoint: LeasedEndpoint, secrets: readonly EventSecret[], event: DueEvent): Promise<boolean> {
    const attemptedAt = this.#service.clock();
    const startedAt = performance.now();
    const message = { id: event.eventId, timestamp: Math.floor(attemptedAt / 1000), body: event.body };
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Refbridge',
      ...signatureHeaders(message, secrets),
    };
    const posted = await this.#poster.post(endpoint.url, headers, event.body, this.#giveUp.signal);
    if (posted.error !== null && this.#giveUp.signal.aborted) return false;
    const durationMs = Math.round(performance.now() - startedAt);
    return storeAttempt(this.#service, { endpoint, event, posted, attemptedAt, durationMs }, this.#sending);
  }
}

function isHeld(endpoint: DueEndpoint): endpoint is DueEndpoint & { heldUntil: number } {
  return endpoint.heldUntil !== null;
}
