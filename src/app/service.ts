import type { Logger } from 'pino';
import type { Adapter, DeliveryRequest, EndpointSecrets, EndpointSettings } from '../../adapters/contract/adapter.ts';
import type { Clock } from '../clock.ts';
import type { ClickStatistics } from '../core/click-statistics.ts';
import type { DeliveryAnswer, DeliveryJob, InterpretedDelivery } from '../core/delivery.ts';
import type { AccountId, PartnerId, ProgramId } from '../core/ids.ts';
import type { Processor } from '../core/processor.ts';
import type { Database, Transaction } from '../storage/database.ts';
import type { Metrics } from './metrics.ts';
import type { OpenIdSettings } from './open-id-settings.ts';

/** Set once, when the process is asked to stop, so that load balancers send requests elsewhere. */
export interface Lifecycle {
  draining: boolean;
}

/** The dependencies and settings of a service. */
export interface ServiceParts {
  database: Database;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  lifecycle: Lifecycle;
  /** Loads a processor's adapter, and the processor's package with it, on first use. */
  adapterFor(processor: Processor): Promise<Adapter>;
  /**
   * Verifies, reads and interprets a delivery whose body is so large that other requests would wait: in a server, on
   * another thread.
   *
   * @throws ServiceError `INVALID_SIGNATURE`; `UNAVAILABLE`
   */
  readLarge(delivery: UnreadDelivery): Promise<InterpretedDelivery>;
  /**
   * Stores a delivery once and applies it, on either thread; settles after the commit.
   *
   * @throws ServiceError `UNAVAILABLE`
   */
  storeDelivery(job: DeliveryJob): Promise<DeliveryAnswer>;
  /** Creates the first link of a new partner, in the unit of work that adds the partner. */
  addDefaultLink(tx: Transaction, partner: NewLinkHolder, url: string): Promise<void>;
  /** Encrypts stored secrets and payout details. */
  sealer: Sealer;
  /** An origin, as browsers write it: `https://refer.example.com`. */
  baseUrl: string;
  /** How long an unattributed payment stays parked. */
  parkedDays: number;
  /** Days after which the bodies of processed deliveries are deleted; 0 keeps them. */
  deliveryRetentionDays: number;
  events: EventSettings;
  /** The limit for API keys without their own. */
  rateLimitPerMinute: number;
  /** Clicks recorded per minute and address; 0 for no limit. */
  clicksPerMinute: number;
  clickStatistics: ClickStatistics;
  /** Where operators may sign in; null without single sign-on. */
  singleSignOn: OpenIdSettings | null;
}

/** A delivery and what its endpoint decides about it. Plain data, so that it can be copied to another thread. */
export interface UnreadDelivery extends DeliveryRequest {
  processor: Processor;
  settings: EndpointSettings;
  /** If the endpoint is for one program, only its partners can earn from the payments. */
  programId: ProgramId | null;
  /** What its signature is checked with; null for a stored delivery, and for an example. */
  verification: { secrets: EndpointSecrets; now: number } | null;
  /** The key of a delivery that came without the header that has it. */
  keyIfMissing?: string | undefined;
}

/** Settings of events that the service sends. */
export interface EventSettings {
  /** Hosts that events may be sent to although they are not public, in lower case. */
  allowedHosts: ReadonlySet<string>;
  /** Days after which events are deleted; 0 keeps them. */
  retentionDays: number;
}

/** A partner who was just added and has no link yet. */
export interface NewLinkHolder {
  id: PartnerId;
  accountId: AccountId;
  programId: ProgramId;
  name: string;
  createdAt: number;
}

/** The context of every use case, in the server, a command or a test. */
export interface Service extends Readonly<ServiceParts> {
  /**
   * A module's in-memory state for this service: a cache, an open batch. `create` runs on the first call and then
   * identifies the state, so it must be a function at module level.
   */
  state<State>(create: CreateState<State>): State;
}

type CreateState<State> = (service: Service) => State;

/** Creates a service with fresh state, even when `parts` is another service. */
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

/** Authenticated encryption of small texts at rest, and keyed hashes. */
export interface Sealer {
  seal(text: string): Buffer;
  /** @throws Error when the bytes were sealed neither with this key nor with a fallback */
  open(sealed: Buffer): string;
  /** Which key sealed the bytes: the one that seals now, a fallback, or one that is not known here (null). */
  keyOf(sealed: Buffer): 'current' | 'fallback' | null;
  /** The same for the same text, and of no use to find the text without the key. In hexadecimal. */
  digest(text: string): string;
}
