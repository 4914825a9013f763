import type { IncomingHttpHeaders } from 'node:http';
import type { Interpretation } from '../../src/core/facts.ts';
import type { Processor } from '../../src/core/processor.ts';

/** What the processor sent, untouched. Header names are lower case, as Node gives them. */
export interface DeliveryRequest {
  rawBody: Buffer;
  headers: IncomingHttpHeaders;
}

/** What an endpoint holds to recognise its processor by. Every text is non-empty; lists may be empty, one at least is set. */
export interface EndpointSecrets {
  /** Signing secrets, any of which may match (rotation). */
  secrets: readonly string[];
  /** RevenueCat: the literal `Authorization` value; null elsewhere and where it was not configured. */
  authorization: string | null;
  /** Shopify: `example.myshopify.com`, lower case; null elsewhere and where it was not configured. */
  shopDomain: string | null;
}

/** The endpoint's settings that change what a payload means. */
export interface InterpretSettings {
  acceptTestEvents: boolean;
  /** RevenueCat: the stores whose purchases count; null means the adapter's default. */
  countStores: readonly string[] | null;
  /** Stripe: a bare payment intent is a sale. */
  countPaymentIntents: boolean;
}

/** A delivery after its signature held. */
export interface SignedDelivery {
  /** Unique per endpoint; null for a signed body without one: it is then known by its SHA-256. */
  deliveryKey: string | null;
  /** As the processor spells it; null where the body has none. */
  eventType: string | null;
  /** The parsed body, numbers as source text where the adapter needs them exactly. */
  payload: unknown;
}

/**
 * One processor. A plain object: `adapters/<processor>/index.ts` default-exports it, `adapters/index.ts` lists it.
 *
 * `read` and `interpret` are pure and deterministic and never throw for anything a processor could send after a good
 * signature: what they cannot make sense of is `unknown` with a reason. Both run again when a stored delivery is retried.
 */
export interface Adapter {
  readonly processor: Processor;

  /**
   * Checks the signature with the processor's official package.
   *
   * @param now epoch milliseconds
   * @throws ServiceError `INVALID_SIGNATURE`; its message tells the operator why (missing header, stale by n s, no
   * secret matched) and never contains a secret or a signature
   */
  verify(request: DeliveryRequest, secrets: EndpointSecrets, now: number): Promise<void>;

  /** Names the delivery and parses its body; a body that is no JSON object gives nulls. Only for verified bytes. */
  read(request: DeliveryRequest): SignedDelivery;

  /** What the payload means: facts, or why there are none. */
  interpret(delivery: SignedDelivery, headers: IncomingHttpHeaders, settings: InterpretSettings): Interpretation;

  /**
   * Headers that make `rawBody` a valid delivery: for replay and tests.
   *
   * Ids that travel in headers are derived from the body, so that the same body is the same delivery.
   *
   * @param now epoch milliseconds that the signature carries
   * @param eventType for processors that name it in a header (Shopify: `orders/paid`); guessed from the body when absent
   */
  sign(rawBody: Buffer, secrets: EndpointSecrets, now: number, eventType?: string): Record<string, string>;

  /** Headers that are kept with a delivery besides `content-type` and `user-agent`; never one that holds a secret. */
  readonly keptHeaders: readonly string[];
}

/** `adapters/index.ts`: how to load each processor's adapter, whose package is imported only then. */
export type AdapterRegistry = Record<Processor, () => Promise<Adapter>>;
