import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type {
  Adapter,
  DeliveryRequest,
  EndpointSecrets,
  InterpretSettings,
  SignedDelivery,
} from '../adapter/contract.ts';
import type { Interpretation, Outcome } from '../core/facts.ts';
import { ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import {
  type DeliveryResult,
  insertDelivery,
  isKnownDelivery,
  type NewDelivery,
} from '../storage/queries/deliveries.ts';
import { type EndpointWithTraffic, isTrafficNews, touchEndpoint } from '../storage/queries/endpoints.ts';
import { applyInterpretation } from './apply-facts.ts';
import type { DeliveryScope } from './receive-payment.ts';
import type { Service } from './service.ts';

/** What the processor is told, and what the logs say. */
export interface DeliveryAnswer {
  outcome: Outcome;
  /** Null for one that was known: nothing was stored under a new id. */
  deliveryId: string | null;
  reason: string | null;
}

/** Waits before the next attempt of a delivery that failed through us; after the last it is `dead`. */
const BACKOFF_MS = [5, 30, 120, 600, 3600, 21_600, 86_400].map((seconds) => seconds * 1000);

/**
 * The way of a webhook (design, section 2): verified, stored once, interpreted and applied in one unit of work. Settles
 * after the commit. An error of ours keeps the delivery as `failed`; an error of the database keeps nothing.
 *
 * @throws ServiceError `INVALID_SIGNATURE`; `UNAVAILABLE`
 */
export async function receiveDelivery(
  service: Service,
  adapter: Adapter,
  endpoint: EndpointWithTraffic,
  secrets: EndpointSecrets,
  request: DeliveryRequest,
): Promise<DeliveryAnswer> {
  const now = service.clock();
  await adapter.verify(request, secrets, now);
  const interpreted = interpretRequest(adapter, endpoint, request);
  const delivery = receivedDelivery(adapter, endpoint, request, interpreted.signed, now);
  const scope = scopeOf(service, delivery, now);
  const store = (apply: (tx: Transaction) => Promise<DeliveryResult>) =>
    service.database.write(async (tx) => {
      const answer = await storeOnce(tx, delivery, apply);
      if (answer !== KNOWN && isTrafficNews(endpoint, now)) await touchEndpoint(tx, endpoint.id, now);
      return answer;
    });
  try {
    return await store((tx) => applyInterpreted(tx, scope, interpreted, 1)).catch(knownWhereStored);
  } catch (error) {
    const failed = failedResult(error, now, 1);
    return await store(async () => failed).catch(knownWhereStored);
  }
}

const KNOWN: DeliveryAnswer = { outcome: 'duplicate', deliveryId: null, reason: 'this delivery is known' };

/** Another process stored the same delivery while this unit was at work on it: what this one did is taken back. */
class StoredMeanwhile extends Error {}

function knownWhereStored(error: unknown): DeliveryAnswer {
  if (error instanceof StoredMeanwhile) return KNOWN;
  throw error;
}

/**
 * Stores a delivery that was not seen before, with what `apply` made of it; one that was seen changes nothing. Written
 * once and last, because its row is by far the largest; that it is the only one is the unique index's word.
 *
 * @throws StoredMeanwhile
 */
async function storeOnce(
  tx: Transaction,
  received: ReceivedDelivery,
  apply: (tx: Transaction) => Promise<DeliveryResult>,
): Promise<DeliveryAnswer> {
  if (await isKnownDelivery(tx, received.endpointId, received.deliveryKey)) return KNOWN;
  const result = await apply(tx);
  if (!(await insertDelivery(tx, { ...received, ...result }))) throw new StoredMeanwhile();
  return { outcome: result.outcome, deliveryId: received.id, reason: result.reason };
}

/** What became of reading a delivery; `failure` is an error of ours. */
export type Interpreted = { signed: SignedDelivery } & (
  | { interpretation: Interpretation; failure: null }
  | { interpretation: null; failure: Error }
);

/** Reads and interprets verified bytes; what an adapter throws is an answer here. */
export function interpretRequest(adapter: Adapter, settings: InterpretSettings, request: DeliveryRequest): Interpreted {
  let signed: SignedDelivery = { deliveryKey: null, eventType: null, payload: null };
  try {
    signed = adapter.read(request);
    if (signed.deliveryKey === null) {
      return { signed, interpretation: { kind: 'unknown', reason: 'the signed body has no event id' }, failure: null };
    }
    return { signed, interpretation: adapter.interpret(signed, request.headers, settings), failure: null };
  } catch (error) {
    return { signed, interpretation: null, failure: asError(error) };
  }
}

/**
 * Applies an interpreted delivery inside the caller's unit of work; an error takes the unit back.
 *
 * @param attempt how many times this delivery has been tried, this one included
 * @throws the adapter's error where there is one
 */
export async function applyInterpreted(
  tx: Transaction,
  scope: DeliveryScope,
  { interpretation, failure }: Interpreted,
  attempt: number,
): Promise<DeliveryResult> {
  if (failure !== null) throw failure;
  const result = await applyInterpretation(tx, scope, interpretation);
  return { ...result, status: 'processed', attempts: attempt, nextAttemptAt: null };
}

/**
 * What is kept of an attempt that failed through us; nothing of what it did was. After the last attempt: `dead`.
 *
 * @param attempt how many times this delivery has been tried, this one included
 * @throws the error itself when it is the database's: that never makes a delivery `failed`
 */
export function failedResult(error: unknown, now: number, attempt: number): DeliveryResult {
  if (error instanceof ServiceError && error.code === 'UNAVAILABLE') throw error;
  const wait = BACKOFF_MS[attempt - 1];
  return {
    status: wait === undefined ? 'dead' : 'failed',
    outcome: 'failed',
    reason: asError(error).message,
    saleId: null,
    attempts: attempt,
    nextAttemptAt: wait === undefined ? null : now + wait,
  };
}

/** The scope of a stored delivery. */
export function scopeOf(
  service: Service,
  delivery: { id: string; accountId: string; endpointId: string; processor: string },
  now: number,
): DeliveryScope {
  const { accountId, endpointId, processor } = delivery;
  return { accountId, endpointId, processor, deliveryId: delivery.id, parkedDays: service.parkedDays, now };
}

/** A delivery before it is known what becomes of it. */
type ReceivedDelivery = Omit<NewDelivery, keyof DeliveryResult>;

function receivedDelivery(
  adapter: Adapter,
  endpoint: EndpointWithTraffic,
  request: DeliveryRequest,
  signed: SignedDelivery,
  now: number,
): ReceivedDelivery {
  return {
    id: createId('dlv'),
    accountId: endpoint.accountId,
    endpointId: endpoint.id,
    processor: adapter.processor,
    deliveryKey: signed.deliveryKey ?? createHash('sha256').update(request.rawBody).digest('hex'),
    eventType: signed.eventType,
    receivedAt: now,
    headers: JSON.stringify(keptHeaders(adapter, request.headers)),
    body: request.rawBody,
  };
}

function keptHeaders(adapter: Adapter, headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const name of ['content-type', 'user-agent', ...adapter.keptHeaders]) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
