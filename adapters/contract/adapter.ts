import type { IncomingHttpHeaders } from 'node:http';
import type { Interpretation } from '../../src/core/facts.ts';
import type { Processor } from '../../src/core/processor.ts';
import type { EndpointDeclaration } from './settings.ts';

/** The request as the processor sent it. Header names are lower case, as in Node. */
export interface DeliveryRequest {
  rawBody: Buffer;
  headers: IncomingHttpHeaders;
}

/** An endpoint's settings, parsed by the adapter's `settings` schema. */
export type EndpointSettings = Readonly<Record<string, unknown>>;

/**
 * What an endpoint needs to verify deliveries: its secrets, parsed by the adapter's `secrets` schema, and its settings.
 * No text is empty.
 */
export type EndpointSecrets = EndpointSettings & {
  /** Signing secrets, any of which may match (rotation); may be empty. */
  readonly secrets: readonly string[];
};

/** A delivery whose signature is valid. */
export interface SignedDelivery {
  /** Unique per endpoint; null for a signed body without a key, which is then identified by its SHA-256. */
  deliveryKey: string | null;
  /** As the processor spells it; null when there is no type. */
  eventType: string | null;
  /** The parsed body; null unless it is a JSON object. Numbers stay source text where the adapter needs them exactly. */
  payload: unknown;
}

/**
 * One processor. A plain object that `adapters/<processor>/index.ts` default-exports and `adapters/index.ts` lists.
 *
 * `read` and `interpret` are pure and deterministic. They never throw for anything that a processor could send with a
 * valid signature; what they do not understand becomes `unknown` with a reason. Both run again when a stored delivery
 * is retried.
 */
export interface Adapter<Name extends string = Processor> extends EndpointDeclaration {
  readonly processor: Name;

  /**
   * Checks the signature with the processor's official package.
   *
   * @param now epoch milliseconds
   * @throws ServiceError `INVALID_SIGNATURE`; its message tells the operator why (missing header, stale by n s, no
   * secret matched) and never contains a secret or a signature
   */
  verify(request: DeliveryRequest, secrets: EndpointSecrets, now: number): Promise<void>;

  /**
   * Parses the body and reads its key and type, which are null when it is not a JSON object. Call only for verified
   * bytes.
   */
  read(request: DeliveryRequest): SignedDelivery;

  /** Interprets the payload: facts, or the reason why there are none. */
  interpret(delivery: SignedDelivery, headers: IncomingHttpHeaders, settings: EndpointSettings): Interpretation;

  /**
   * The headers that make `rawBody` a valid delivery, for replay and tests.
   *
   * Ids in headers are derived from the body, so that the same body is always the same delivery.
   *
   * @param now the signature's time, in epoch milliseconds
   * @param eventType for processors that name it in a header (Shopify: `orders/paid`); guessed from the body when
   * absent
   */
  sign(rawBody: Buffer, secrets: EndpointSecrets, now: number, eventType?: string): Record<string, string>;

  /** True when the signature covers a time. Otherwise only the delivery key reveals a replayed delivery. */
  readonly signsTime: boolean;

  /**
   * Where the delivery key is: in the body, in a header (which `sign` derives from the body), or in the body's digest.
   */
  readonly keyIn: 'body' | 'header' | 'digest';

  /**
   * The event type in the name of a payload file (`orders_paid` → `orders/paid`); null when the name is not an event
   * type.
   */
  eventTypeOf(name: string): string | null;

  /**
   * Headers to store with a delivery in addition to `content-type` and `user-agent`; never one that contains a secret.
   */
  readonly keptHeaders: readonly string[];

  /**
   * Loads what reads the past from the processor's API, with the package's client, which deliveries do not need. Absent
   * where the processor has no list of it; the guide then says why.
   */
  readonly backfill?: () => Promise<{ readPage: ReadBackfillPage }>;
}

/** What to read from a processor's API: what happened from `since` to `until`, page by page. */
export interface BackfillRequest {
  /** The endpoint's secret of this name. */
  accessToken: string;
  settings: EndpointSettings;
  /** Epoch milliseconds. */
  since: number;
  /** Epoch milliseconds: when the reading began. The same for every page. */
  until: number;
  /** What the previous page returned; null for the first page. */
  cursor: string | null;
  /** Sends requests, by `createApiCall`: no package limits the answer, and most follow redirects or take no signal. */
  fetch: typeof globalThis.fetch;
  /** Ends the request. */
  signal: AbortSignal;
}

/** A part of the past that is not read, and why. */
export interface NotRead {
  /** `disputes` */
  what: string;
  /** With what to do about it, such as the name of the scope that the access token lacks. Names no person. */
  reason: string;
}

export interface BackfillPage {
  /**
   * Deliveries as the processor would send them, without a signature: `read` and `interpret` of the adapter accept them. A
   * delivery that the processor did send has its delivery key, if the API names it; any other has a key that
   * `backfillKey` made, or the digest of its body. At most a few hundred.
   */
  deliveries: DeliveryRequest[];
  /** Where the next page begins; null after the last one. */
  cursor: string | null;
  /** What the access token may not read, as far as this page has found out and the reading goes on without it. */
  notRead?: readonly NotRead[];
}

/**
 * Reads one page, in one request or a few. Has no state beside the cursor, so that any process can continue after another.
 *
 * @throws ServiceError `UNAVAILABLE` when the same page may succeed later, `VALIDATION_ERROR` when it cannot
 */
export type ReadBackfillPage = (request: BackfillRequest) => Promise<BackfillPage>;

/** Loads a processor's adapter and its package on demand. The instance is in `adapters/index.ts`. */
export type AdapterRegistry = Record<Processor, () => Promise<Adapter>>;
