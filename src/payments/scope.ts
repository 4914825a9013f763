import type { AccountId, DeliveryId, EndpointId } from '../core/ids.ts';
import type { PaymentProcessor } from '../core/processor.ts';

/** The account of a unit of work, and the unit's time (epoch milliseconds). */
export interface Scope {
  accountId: AccountId;
  now: number;
}

export interface ProcessorScope extends Scope {
  processor: PaymentProcessor;
}

/** The scope in which a payment may be parked. */
export interface ParkingScope extends ProcessorScope {
  /** Null when the caller's backend reports the payment. */
  deliveryId: DeliveryId | null;
  /** How long an unattributed payment stays parked. */
  parkedDays: number;
  /** Set for a payment that was read back from its processor: it stays parked from when it was made, not from now on. */
  isReadBack?: true;
}

/** The scope of a delivery's facts, in the unit of work that stores them. */
export interface DeliveryScope extends ParkingScope {
  deliveryId: DeliveryId;
  /** Null in an explanation without an endpoint. */
  endpointId: EndpointId | null;
}
