import type { EventStatus } from '../../core/event.ts';
import type { AccountId, EventEndpointId, EventId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { CHANGED } from './endpoints.ts';

/** An endpoint that has something to send and that no process is sending to. */
export interface DueEndpoint {
  id: EventEndpointId;
  failures: number;
  /**
   * Null for an endpoint that is free. Otherwise it is leased or paused, and its last lease ends at this time (epoch
   * milliseconds), which is farther ahead than a right clock sets it.
   */
  heldUntil: number | null;
}

const IS_ENABLED = "e.status = 'enabled' AND e.kind = 'webhook'";
const IS_FREE = `COALESCE(e.paused_until, 0) <= @now
       AND (e.leased_by IS NULL OR e.leased_until <= @now OR e.leased_by = @orphan)`;

/** The process's time, and what it knows about other processes. */
export type SenderNow = {
  now: number;
  /** The holder of a lease that no longer exists; '' for none. */
  orphan: string;
  /** No right clock sets the end of a lease, or the time of a first attempt, after this. */
  far: number;
};

/**
 * Endpoints that were served longest ago come first.
 *
 * @param takesFailing false to leave out those that failed last time: waiting for their turn, they could fill the page
 */
export function findDueEndpoints(
  tx: Transaction,
  { now, orphan, far }: SenderNow,
  { limit, takesFailing }: { limit: number; takesFailing: boolean },
) {
  return tx.all<DueEndpoint>(
    `SELECT e.id, e.failures,
       CASE WHEN ${IS_FREE} THEN NULL ELSE e.leased_until END AS "heldUntil"
     FROM event_endpoints e
     WHERE ${IS_ENABLED} AND (e.failures = 0 OR @takesFailing = 1 OR e.leased_until > @far)
       AND ((${IS_FREE}) OR e.leased_until > @far) AND EXISTS (SELECT 1 FROM event_deliveries d
       WHERE d.endpoint_id = e.id AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= @now)
     ORDER BY COALESCE(e.leased_until, 0), e.id LIMIT @limit`,
    { now, orphan, far, limit, takesFailing: takesFailing ? 1 : 0 },
  );
}

const IS_DUE_FAR_AHEAD = 'd.next_attempt_at IS NOT NULL AND d.next_attempt_at > @far AND d.tries <= 1';

/** Endpoints with first or second attempts that are due only after this time. */
export async function findEndpointsDueAfter(tx: Transaction, far: number, limit: number): Promise<EventEndpointId[]> {
  const rows = await tx.all<{ id: EventEndpointId }>(
    `SELECT e.id FROM event_endpoints e WHERE ${IS_ENABLED} AND EXISTS
       (SELECT 1 FROM event_deliveries d WHERE d.endpoint_id = e.id AND ${IS_DUE_FAR_AHEAD})
     ORDER BY e.id LIMIT @limit`,
    { far, limit },
  );
  return rows.map(({ id }) => id);
}

/** Makes the first and second attempts that are due only after this time due now. */
export function advanceAttempts(tx: Transaction, id: EventEndpointId, { now, far }: Pick<SenderNow, 'now' | 'far'>) {
  return tx.run(
    `UPDATE event_deliveries AS d SET next_attempt_at = @now WHERE d.endpoint_id = @id AND ${IS_DUE_FAR_AHEAD}`,
    { id, now, far },
  );
}

export interface Lease {
  id: EventEndpointId;
  /** This process. */
  leasedBy: string;
  leasedUntil: number;
}

export interface LeasedEndpoint {
  id: EventEndpointId;
  accountId: AccountId;
  url: string;
  /** Null for an endpoint that has just been deleted. */
  sealedSecrets: Buffer | null;
}

/**
 * Leases an endpoint for this process. Returns undefined when another process was faster or currently locks the
 * endpoint.
 *
 * @param heldUntil of `DueEndpoint`, for an endpoint whose lease or pause is to end
 */
export function leaseEndpoint(
  tx: Transaction,
  { id, leasedBy, leasedUntil, heldUntil }: Lease & Pick<DueEndpoint, 'heldUntil'>,
  { now, orphan }: Omit<SenderNow, 'far'>,
) {
  return tx.get<LeasedEndpoint>(
    `UPDATE event_endpoints SET leased_by = @leasedBy, leased_until = @leasedUntil,
       paused_until = CASE WHEN leased_until = @heldUntil THEN NULL ELSE paused_until END
     WHERE id = (SELECT e.id FROM event_endpoints e WHERE e.id = @id AND ${IS_ENABLED}
       AND ((${IS_FREE}) OR e.leased_until = @heldUntil) /* postgres: FOR UPDATE SKIP LOCKED */)
     RETURNING id, account_id AS "accountId", url, sealed_secrets AS "sealedSecrets"`,
    { id, leasedBy, leasedUntil, heldUntil, now, orphan },
  );
}

/** Ends the lease now, so that the next endpoint in line is served. */
export function releaseEndpoint(tx: Transaction, id: EventEndpointId, leasedBy: string, now: number) {
  return tx.run(
    `UPDATE event_endpoints SET leased_by = NULL, leased_until = @now
     WHERE id = @id AND leased_by IN (@leasedBy, @changed)`,
    { id, leasedBy, changed: CHANGED + leasedBy, now },
  );
}

/** The holder of a lease other than this process, which must be the only one running; undefined when there is none. */
export async function findOrphan(tx: Transaction, leasedBy: string): Promise<string | undefined> {
  const row = await tx.get<{ orphan: string }>(
    `SELECT e.leased_by AS orphan FROM event_endpoints e
     WHERE ${IS_ENABLED} AND e.leased_by <> @leasedBy LIMIT 1`,
    { leasedBy },
  );
  return row?.orphan;
}

/** An event to send now. */
export interface DueEvent {
  eventId: EventId;
  body: string;
  /** All attempts so far, and those of its current schedule. */
  attempts: number;
  tries: number;
  occurredAt: number;
}

/** The number of event bodies in memory per endpoint. */
const EVENTS_PER_READ = 10;

/** The next events, in sending order: by the time of occurrence, except that those with a later next attempt come later. */
export function findDueEvents(tx: Transaction, endpointId: EventEndpointId, now: number) {
  // the limit is written out for the plan on PostgreSQL: see PLANS_FOR_ANY_VALUES
  return tx.all<DueEvent>(
    `SELECT due.event_id AS "eventId", v.body, due.attempts, due.tries, due.occurred_at AS "occurredAt"
     FROM (SELECT d.event_id, d.account_id, d.attempts, d.tries, d.occurred_at, d.next_attempt_at FROM event_deliveries d
       WHERE d.endpoint_id = @endpointId AND d.next_attempt_at IS NOT NULL AND d.next_attempt_at <= @now
       ORDER BY d.next_attempt_at, d.event_id LIMIT ${EVENTS_PER_READ}) due
     JOIN events v ON v.account_id = due.account_id AND v.id = due.event_id
     ORDER BY due.next_attempt_at, due.event_id`,
    { endpointId, now },
  );
}

export interface DeliveryUpdate {
  endpointId: EventEndpointId;
  eventId: EventId;
  /** `DueEvent.attempts`, before this one. */
  attempts: number;
  status: EventStatus;
  tries: number;
  nextAttemptAt: number | null;
  attemptedAt: number;
  responseStatus: number | null;
  error: string | null;
  deliveredAt: number | null;
}

/**
 * Stores the result of an attempt; returns 0 for a failure that another attempt's result has preceded. Its process lost
 * the lease meanwhile, and the event may have been delivered.
 */
export function updateEventDelivery(tx: Transaction, update: DeliveryUpdate) {
  return tx.run(
    `UPDATE event_deliveries SET status = @status, attempts = attempts + 1, tries = @tries,
       next_attempt_at = @nextAttemptAt, attempted_at = @attemptedAt, response_status = @responseStatus,
       error = @error, delivered_at = COALESCE(@deliveredAt, delivered_at)
     WHERE endpoint_id = @endpointId AND event_id = @eventId AND (attempts = @attempts OR @status = 'delivered')`,
    { ...update },
  );
}

/** Counts an attempt whose result changes nothing. */
export function countAttempt(tx: Transaction, { endpointId, eventId }: Pick<DeliveryUpdate, 'endpointId' | 'eventId'>) {
  return tx.run(
    `UPDATE event_deliveries SET attempts = attempts + 1 WHERE endpoint_id = @endpointId AND event_id = @eventId`,
    { endpointId, eventId },
  );
}

export interface EndpointHealth {
  failures: number;
  failingSince: number | null;
}

/** The health of an endpoint that this process still leases; undefined when it was deleted, disabled or taken over. */
export function findHealth(tx: Transaction, { id, leasedBy }: Pick<Lease, 'id' | 'leasedBy'>) {
  return tx.get<EndpointHealth>(
    `SELECT failures, failing_since AS "failingSince" FROM event_endpoints
     WHERE id = @id AND leased_by = @leasedBy AND status = 'enabled'`,
    { id, leasedBy },
  );
}

export interface HealthUpdate extends Lease, EndpointHealth {
  pausedUntil: number | null;
  /** Null when the attempt failed. */
  lastSuccessAt: number | null;
  /** Null to leave the endpoint enabled. */
  disabledReason: string | null;
  now: number;
}

/** Stores the endpoint's health, extends the lease, and disables the endpoint if there is a reason. */
export function updateHealth(tx: Transaction, update: HealthUpdate) {
  return tx.run(
    `UPDATE event_endpoints SET failures = @failures, failing_since = @failingSince, paused_until = @pausedUntil,
       last_success_at = COALESCE(@lastSuccessAt, last_success_at), leased_until = @leasedUntil,
       status = CASE WHEN CAST(@disabledReason AS TEXT) IS NULL THEN status ELSE 'disabled' END,
       disabled_reason = @disabledReason,
       disabled_at = CASE WHEN CAST(@disabledReason AS TEXT) IS NULL THEN NULL ELSE CAST(@now AS BIGINT) END
     WHERE id = @id AND leased_by = @leasedBy`,
    { ...update },
  );
}

/** Makes everything that has failed since a time due now, in its original order. */
export function hurry(tx: Transaction, id: EventEndpointId, now: number, since: number) {
  return tx.run(
    `UPDATE event_deliveries SET next_attempt_at = occurred_at
     WHERE endpoint_id = @id AND next_attempt_at IS NOT NULL AND next_attempt_at > @now AND attempted_at >= @since`,
    { id, now, since },
  );
}
