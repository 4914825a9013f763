import type { ErrorCode } from '../errors.ts';
import type { DiskUse } from '../storage/database.ts';

/** Who may read `/metrics`: nobody, everybody, or clients that send the bearer token. */
export type MetricsAccess = { kind: 'off' } | { kind: 'public' } | { kind: 'token'; token: string };

/** The counters of this process, and who may read them. */
export interface Metrics {
  readonly access: MetricsAccess;
  /** Counts an answered request by the route's pattern; status 499 when the client disconnected. */
  requestEnded(route: string, method: string, status: number, seconds: number): void;
  /** Counts an answered delivery; outcome `rejected` when the signature did not match. */
  deliveryAnswered(processor: string, outcome: string): void;
  /** Counts a visitor redirected without a click id, because the database could not record the click. */
  clickLost(): void;
  /** Counts a visitor redirected without a click id, because too many clicks came from one address. */
  clickLimited(): void;
  /**
   * Counts a connection that was cut: too many from one address, too many requests at once, or answers that nobody
   * reads.
   */
  connectionCut(reason: 'address' | 'pipelining' | 'stalled'): void;
  /** Counts an attempt to send an event to an endpoint. */
  eventAttempted(outcome: 'delivered' | 'failed'): void;
  /** Counts an event endpoint that was disabled: it answered 410, or failed for five days. */
  eventEndpointSwitchedOff(reason: 'gone' | 'failing'): void;
  /** Counts a request that was answered with an error. */
  requestRefused(code: ErrorCode): void;
  /**
   * The counters and what the database holds, in Prometheus format; null when metrics are off.
   *
   * @param measure called unless metrics are off; null when nothing could be measured yet
   */
  text(measure: () => Promise<Measurements | null>): Promise<{ contentType: string; text: string } | null>;
}

/** Counts that other modules keep; read when somebody requests the metrics. */
export interface MetricsSources {
  /** Log lines dropped so far because stderr did not accept them. */
  droppedLogLines(): number;
  /** Reports stopped at their deadline, or refused because no connection was free, so far. */
  stoppedReports(): number;
  /** Absent without a replica. */
  replica?: {
    /** Reports read from the primary so far, although a replica may answer such reports. */
    fallbacks(): number;
    /** How far it lags; null while that is unknown. */
    lagMs(): number | null;
  };
}

/** What the whole database holds, all accounts together. Amounts in minor units. */
export interface Measurements {
  engine: 'sqlite' | 'postgres';
  schemaVersion: number;
  /** Epoch ms. */
  measuredAt: number;
  /** Each counted up to 1,001 per account. */
  attention: Readonly<Record<Attention, number>>;
  /** What a payout run would pay now. */
  due: readonly { currency: string; count: number; amount: number }[];
  /** The endpoints that have had a delivery, the latest first; at most 200. `lastDeliveryAt` is exact to the minute. */
  endpoints: readonly { id: string; processor: string; lastDeliveryAt: number }[];
  /** When the event that has waited longest was due, of all endpoints that are enabled; null without events. */
  oldestEventDueAt: number | null;
  /** Payouts that are being sent by a provider's API, and when the first of them was ordered. */
  transfers: { count: number; oldestCreatedAt: number | null };
  disk: DiskUse;
  /** Counted since this process first measured. Never falls. */
  results: { clicks: number; leads: number; sales: readonly { currency: string; count: number; amount: number }[] };
}

export type Attention =
  | 'failedDeliveries'
  | 'deadDeliveries'
  | 'parkedPayments'
  | 'flaggedSales'
  | 'heldPayouts'
  | 'openDisputes';

/** Counts nothing, because nobody may read it. */
export const METRICS_OFF: Metrics = {
  access: { kind: 'off' },
  requestEnded() {},
  deliveryAnswered() {},
  clickLost() {},
  clickLimited() {},
  connectionCut() {},
  eventAttempted() {},
  eventEndpointSwitchedOff() {},
  requestRefused() {},
  text: async () => null,
};
