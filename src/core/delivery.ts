import type { Interpretation, Outcome } from './facts.ts';

/** processed: done. failed: will be tried again. dead: every attempt failed. */
export const DELIVERY_STATUSES = ['processed', 'failed', 'dead'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A verified delivery as it arrived. */
export interface ReceivedDelivery {
  id: string;
  accountId: string;
  endpointId: string;
  processor: string;
  /** Unique within the endpoint: the event id, or the digest of the body. */
  deliveryKey: string;
  eventType: string | null;
  receivedAt: number;
  /** JSON of the headers that are kept. */
  headers: string;
  body: Buffer;
}

/** What a delivery means, or, as `failure`, the message of an error of ours on the way there. */
export type Interpreted = { interpretation: Interpretation; failure: null } | { interpretation: null; failure: string };

/** A verified and interpreted delivery that is to be stored. Plain data: it may be copied to another thread. */
export interface DeliveryJob {
  received: ReceivedDelivery;
  interpreted: Interpreted;
  /** How long a payment waits for its customer. */
  parkedDays: number;
  /** Whether to note on the endpoint that it is in use. */
  isTrafficNews: boolean;
}

/** What the processor is told, and what the logs say. */
export interface DeliveryAnswer {
  outcome: Outcome;
  /** Null for one that was known: nothing was stored under a new id. */
  deliveryId: string | null;
  reason: string | null;
}

/** What one attempt made of a delivery. */
export interface DeliveryResult {
  status: DeliveryStatus;
  outcome: Outcome;
  reason: string | null;
  saleId: string | null;
  /** Attempts so far, this one included. */
  attempts: number;
  /** Epoch milliseconds; null when nothing is to be tried again. */
  nextAttemptAt: number | null;
}
