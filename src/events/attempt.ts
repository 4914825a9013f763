import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import { FAILING_MS_MAX, pauseAfter, waitAfter } from '../core/event.ts';
import { retryAfterMs } from '../core/retry-after.ts';
import type { Transaction } from '../storage/database.ts';
import type { Posted } from './post.ts';
import { hasBody, insertAttempt } from './queries/attempts.ts';
import {
  countAttempt,
  type DeliveryUpdate,
  type DueEvent,
  type EndpointHealth,
  findHealth,
  type HealthUpdate,
  hurry,
  type LeasedEndpoint,
  updateEventDelivery,
  updateHealth,
} from './queries/sending.ts';

/** A completed attempt. */
export interface Attempt {
  endpoint: LeasedEndpoint;
  event: DueEvent;
  posted: Posted;
  attemptedAt: number;
  durationMs: number;
}

/** The process that made the attempt. */
export interface Sending {
  leasedBy: string;
  leaseMs: number;
  /** From 0 to 1. */
  random(): number;
}

/**
 * This many consecutive failures mean an outage. Events delayed by an outage are due as soon as it ends, not hours
 * later.
 */
const OUTAGE_FAILURES = 3;

const GONE = 'it answered 410, which refuses further events';
const FAILING = 'every attempt has failed for five days';

/**
 * Stores the result of an attempt: the delivery, the endpoint's health and the lease, in one unit of work. Returns
 * whether this process may now send the next event to the endpoint.
 */
export async function storeAttempt(service: Service, attempt: Attempt, sending: Sending): Promise<boolean> {
  const { endpoint, event, posted, attemptedAt, durationMs } = attempt;
  const { id: endpointId } = endpoint;
  const { eventId } = event;
  const now = service.clock();
  const { leasedBy } = sending;
  const health = await service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.eventEndpoint(endpointId)]);
    const delivery = { endpointId, eventId, attemptedAt, responseStatus: posted.status, error: posted.error };
    const before = await findHealth(tx, { id: endpointId, leasedBy });
    const next = before ? nextOf(attempt, now, sending) : nextAfterChange(attempt, now, sending);
    const update = { ...delivery, attempts: event.attempts, ...next };
    if ((await updateEventDelivery(tx, update)) === 0) await countAttempt(tx, delivery);
    await insertAttempt(tx, { ...delivery, durationMs, response: await responseToKeep(tx, attempt) });
    if (!before) return null;
    const after = healthAfter(before, posted, now, sending);
    await updateHealth(tx, { id: endpointId, leasedBy, leasedUntil: now + sending.leaseMs, now, ...after });
    if (posted.error === null && before.failures >= OUTAGE_FAILURES && before.failingSince !== null) {
      await hurry(tx, endpointId, now, before.failingSince);
    }
    return after;
  });
  service.metrics.eventAttempted(posted.error === null ? 'delivered' : 'failed');
  if (health?.disabledReason) reportSwitchedOff(service, endpoint, health.disabledReason);
  return health !== null && posted.error === null;
}

/** Null when somebody was erased from the event while it was sent: the response may name them. */
async function responseToKeep(tx: Transaction, { endpoint, event, posted }: Attempt): Promise<string | null> {
  if (posted.response === null) return null;
  const sent = { id: event.eventId, body: event.body };
  return (await hasBody(tx, endpoint.accountId, sent)) ? posted.response : null;
}

type Next = Pick<DeliveryUpdate, 'status' | 'tries' | 'nextAttemptAt' | 'deliveredAt'>;

function nextOf({ event, posted }: Attempt, now: number, { random }: Sending): Next {
  const tries = event.tries + 1;
  if (posted.error === null) return { status: 'delivered', tries, nextAttemptAt: null, deliveredAt: now };
  const wait = waitAfter(tries, random());
  if (wait === null) return { status: 'failed', tries, nextAttemptAt: null, deliveredAt: null };
  // after its first failure an event keeps its place and waits only for the endpoint's pause, so that a short outage
  // keeps the order
  const nextAttemptAt =
    tries === 1 ? event.occurredAt : now + Math.max(wait, retryAfterMs(posted.retryAfter, now) ?? 0);
  return { status: 'waiting', tries, nextAttemptAt, deliveredAt: null };
}

/** The failure says nothing about the URL or secret that the endpoint has now. */
function nextAfterChange(attempt: Attempt, now: number, sending: Sending): Next {
  const next = nextOf(attempt, now, sending);
  return { ...next, nextAttemptAt: next.nextAttemptAt === null ? null : attempt.event.occurredAt };
}

type Health = Omit<HealthUpdate, 'id' | 'leasedBy' | 'leasedUntil' | 'now'>;

function healthAfter(before: EndpointHealth, posted: Posted, now: number, { random }: Sending): Health {
  if (posted.error === null) {
    return { failures: 0, failingSince: null, pausedUntil: null, lastSuccessAt: now, disabledReason: null };
  }
  const failures = before.failures + 1;
  // it is ahead after the clock was set back
  const failingSince = Math.min(before.failingSince ?? now, now);
  const isHopeless = now - failingSince >= FAILING_MS_MAX;
  return {
    failures,
    failingSince,
    pausedUntil: now + Math.max(pauseAfter(failures, random()), retryAfterMs(posted.retryAfter, now) ?? 0),
    lastSuccessAt: null,
    disabledReason: posted.status === 410 ? GONE : isHopeless ? FAILING : null,
  };
}

function reportSwitchedOff(service: Service, { id, accountId, url }: LeasedEndpoint, reason: string): void {
  service.metrics.eventEndpointSwitchedOff(reason === GONE ? 'gone' : 'failing');
  const { host } = new URL(url);
  service.log.error(
    { eventEndpointId: id, accountId, host, reason },
    'an event endpoint was disabled; enable it again once it works, and it receives what is waiting',
  );
}
