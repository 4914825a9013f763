import type { Logger } from 'pino';
import type { Adapter } from '../../adapters/contract/adapter.ts';
import type { Clock } from '../clock.ts';
import type { DeliveryAnswer, DeliveryJob } from '../core/delivery.ts';
import type { Processor } from '../core/processor.ts';
import type { Database } from '../storage/database.ts';

/** What a service is put together from. */
export interface ServiceParts {
  database: Database;
  clock: Clock;
  log: Logger;
  /** Loads a processor's adapter, and with it the processor's package, on first use. */
  adapterFor(processor: Processor): Promise<Adapter>;
  /**
   * Stores a delivery once and applies it, on whichever thread; settles after the commit.
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

/** The one context that every use case works with: of the server, a command, a test. */
export interface Service extends Readonly<ServiceParts> {
  /**
   * What a module keeps in memory of this service: caches, an open batch. `create` runs on the first call and names the
   * state from then on, so it must be a function at module level.
   */
  state<State>(create: CreateState<State>): State;
}

type CreateState<State> = (service: Service) => State;

/** A service of its own: it shares no state with another one, not even where `parts` are another service. */
export function createService(parts: ServiceParts): Service {
  const states = new Map<CreateState<unknown>, unknown>();
  const service: Service = Object.freeze({
    ...parts,
    state<State>(create: CreateState<State>): State {
      if (!states.has(create)) states.set(create, create(service));
      return states.get(create) as State;
    },
  });
  return service;
}

/** Authenticated encryption of small texts at rest. */
export interface Sealer {
  seal(text: string): Buffer;
  /** @throws Error when the bytes were not sealed with this key */
  open(sealed: Buffer): string;
}
