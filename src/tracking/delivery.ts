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
  type NewDelivery,
  updateDelivery,
} from '../storage/queries/deliveries.ts';
import { touchEndpoint } from '../storage/queries/endpoints.ts';
import { applyInterpretation } from './apply-facts.ts';
import type { DeliveryScope } from './receive-payment.ts';
import type { Service } from './service.ts';

/** The endpoint that a delivery came to. */
export interface DeliveryEndpoint {
  id: string;
  accountId: string;
  settings: InterpretSettings;
}

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
  endpoint: DeliveryEndpoint,
  secrets: EndpointSecrets,
  request: DeliveryRequest,
): Promise<DeliveryAnswer> {
  const now = service.clock();
  await adapter.verify(request, secrets, now);
  const interpreted = interpretRequest(adapter, endpoint.settings, request);
  const delivery = newDelivery(adapter, endpoint, request, interpreted, now);
  try {
    const scope = scopeOf(service, delivery, now);
    return await service.database.write((tx) => store(tx, delivery, () => applyInterpreted(tx, scope, interpreted, 1)));
  } catch (error) {
    const failed = failedResult(error, now, 1);
    return service.database.write((tx) => store(tx, delivery, async () => failed));
  }
}

/** Stores a delivery that was not seen before, and what `apply` makes of it; one that was seen changes nothing. */
async function store(
  tx: Transaction,
  delivery: NewDelivery,
  apply: () => Promise<DeliveryResult>,
): Promise<DeliveryAnswer> {
  if (!(await insertDelivery(tx, delivery))) {
    return { outcome: 'duplicate', deliveryId: null, reason: 'this delivery is known' };
  }
  await touchEndpoint(tx, delivery.endpointId, delivery.receivedAt);
  const result = await apply();
  // what was refused to be counted is stored with its outcome already
  if (result.outcome !== delivery.outcome || result.reason !== delivery.reason) {
    await updateDelivery(tx, delivery.id, result);
  }
  return { outcome: result.outcome, deliveryId: delivery.id, reason: result.reason };
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

function newDelivery(
  adapter: Adapter,
  endpoint: DeliveryEndpoint,
  request: DeliveryRequest,
  { signed, interpretation }: Interpreted,
  now: number,
): NewDelivery {
  const known = interpretation !== null && interpretation.kind !== 'facts' ? interpretation : null;
  return {
    id: createId('dlv'),
    accountId: endpoint.accountId,
    endpointId: endpoint.id,
    processor: adapter.processor,
    deliveryKey: signed.deliveryKey ?? createHash('sha256').update(request.rawBody).digest('hex'),
    eventType: signed.eventType,
    status: 'processed',
    outcome: known?.kind ?? 'noted',
    reason: known?.reason ?? null,
    saleId: null,
    attempts: 1,
    nextAttemptAt: null,
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
