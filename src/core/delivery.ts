import type { Interpretation } from './facts.ts';
import type { AccountId, DeliveryId, EndpointId, SaleId } from './ids.ts';
import type { Outcome } from './outcome.ts';
import type { Processor } from './processor.ts';

/** processed: done. failed: will be retried. dead: every attempt failed. */
export const DELIVERY_STATUSES = ['processed', 'failed', 'dead'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The headers stored with a delivery, by lower-case name. */
export type KeptHeaders = Readonly<Record<string, string | string[]>>;

/** A verified delivery as it arrived. */
export interface ReceivedDelivery {
  id: DeliveryId;
  accountId: AccountId;
  endpointId: EndpointId;
  processor: Processor;
  /** Unique within the endpoint: the event id, or the digest of the body. */
  deliveryKey: string;
  eventType: string | null;
  receivedAt: number;
  /** `KeptHeaders` as JSON. */
  headers: string;
  body: Buffer;
  /** Set when nobody delivered it: a reconciliation made it of what the processor's API returned. */
  isReadBack?: true;
}

/** What a delivery means. When interpretation threw an error of ours, `failure` holds its message. */
export type Interpreted = { interpretation: Interpretation; failure: null } | { interpretation: null; failure: string };

/** Reading or storing a longer body takes milliseconds, so the thread that answers requests leaves both to others. */
export const LARGE_BODY_BYTES = 128 * 1024;

/** A delivery that was read and interpreted. Key and type are null when the body does not have them. */
export interface InterpretedDelivery {
  deliveryKey: string | null;
  eventType: string | null;
  interpreted: Interpreted;
}

/** A verified and interpreted delivery to store. Plain data, so that it can be copied to another thread. */
export interface DeliveryJob {
  received: ReceivedDelivery;
  interpreted: Interpreted;
  /** How long an unattributed payment stays parked. */
  parkedDays: number;
  /** True when the endpoint's time of last use needs an update. */
  isTouchDue: boolean;
}

/** The answer to the processor, which is also logged. */
export interface DeliveryAnswer {
  outcome: Outcome;
  /** Null for a duplicate, which is not stored again. */
  deliveryId: DeliveryId | null;
  reason: string | null;
}

/** The result of one attempt to process a delivery. */
export interface DeliveryResult {
  status: DeliveryStatus;
  outcome: Outcome;
  reason: string | null;
  saleId: SaleId | null;
  /** Attempts so far, this one included. */
  attempts: number;
  /** Epoch milliseconds; null when no retry is due. */
  nextAttemptAt: number | null;
}
