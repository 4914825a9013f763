import type { Logger } from 'pino';
import type { Adapter } from '../../adapters/contract/adapter.ts';
import type { Clock } from '../clock.ts';
import type { DeliveryAnswer, DeliveryJob } from '../core/delivery.ts';
import type { Processor } from '../core/processor.ts';
import type { Database } from '../storage/database.ts';

/** What every use case works with; put together once, in `main.ts` and in each command. */
export interface Service {
  database: Database;
  clock: Clock;
  log: Logger;
  /** Loads a processor's adapter, and with it the processor's package, on first use. */
  adapterFor(processor: Processor): Promise<Adapter>;
  /**
   * `storeDelivery` on this database, on whichever thread.
   *
   * @throws ServiceError `UNAVAILABLE`
   */
  storeDelivery(job: DeliveryJob): Promise<DeliveryAnswer>;
  /** Encrypts what is kept of webhook secrets. */
  sealer: Sealer;
  /** `https://refer.example.com`, without a slash at the end. */
  baseUrl: string;
  /** How long a payment waits for its customer. */
  parkedDays: number;
  /** Bodies of processed deliveries are dropped after so many days; 0 keeps them. */
  deliveryRetentionDays: number;
  /** For API keys that have no limit of their own. */
  rateLimitPerMinute: number;
}

/** Authenticated encryption of small texts at rest. */
export interface Sealer {
  seal(text: string): Buffer;
  /** @throws Error when the bytes were not sealed with this key */
  open(sealed: Buffer): string;
}
