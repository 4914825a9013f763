import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Adapter, DeliveryRequest, SignedDelivery } from '../../adapters/contract/adapter.ts';
import { notAsDescribed } from '../../adapters/contract/interpret-as.ts';
import { findLongList } from '../../adapters/contract/long-list.ts';
import type { Interpreted } from '../core/delivery.ts';
import { enforceFactLimits } from '../core/fact-limits.ts';
import type { Fact, Interpretation } from '../core/facts.ts';
import type { ProgramId } from '../core/ids.ts';
import { messageOf } from '../errors.ts';
import { findExcess } from '../schema/large-json.ts';
import type { Endpoint } from './queries/endpoints.ts';

/** What an endpoint decides about its deliveries. */
export type Interpreting = Pick<Endpoint, 'settings' | 'programId'>;

/**
 * Verifying a larger body takes milliseconds, reading it longer, and interpreting it twice as long; other requests have
 * their turn between.
 */
const BYTES_PER_TURN = 128 * 1024;

const UNREAD: SignedDelivery = { deliveryKey: null, eventType: null, payload: null };

/**
 * Reads and interprets verified bytes, and checks the facts. If the endpoint is for one program, only partners of that
 * program can earn from its payments. An exception of the adapter is returned as `failure`. A body that would take too
 * long to read is `unknown`.
 */
export async function interpretDelivery(
  adapter: Adapter,
  endpoint: Interpreting,
  request: DeliveryRequest,
): Promise<{ signed: SignedDelivery; interpreted: Interpreted }> {
  const isLarge = request.rawBody.length > BYTES_PER_TURN;
  const excess = isLarge ? findExcess(request.rawBody) : null;
  if (excess !== null) {
    return {
      signed: UNREAD,
      interpreted: { interpretation: notAsDescribed('The body', [`it ${excess}`]), failure: null },
    };
  }
  if (isLarge) await yieldToEventLoop();
  let signed = UNREAD;
  try {
    signed = adapter.read(request);
    if (isLarge) await yieldToEventLoop();
    return {
      signed,
      interpreted: { interpretation: interpretationOf(adapter, endpoint, signed, request), failure: null },
    };
  } catch (error) {
    return { signed, interpreted: { interpretation: null, failure: messageOf(error) } };
  }
}

function interpretationOf(
  adapter: Adapter,
  { settings, programId }: Interpreting,
  signed: SignedDelivery,
  { headers, rawBody }: DeliveryRequest,
): Interpretation {
  if (signed.payload === null) return { kind: 'unknown', reason: 'the body is not a JSON object' };
  if (signed.deliveryKey === null) return { kind: 'unknown', reason: 'the body has no event id' };
  const longList = findLongList(signed.payload, rawBody.length);
  if (longList !== null) return notAsDescribed('The body', [longList]);
  const interpretation = enforceFactLimits(adapter.interpret(signed, headers, settings));
  if (programId === null || interpretation.kind !== 'facts') return interpretation;
  return { kind: 'facts', facts: interpretation.facts.map((fact) => forProgram(fact, programId)) };
}

function forProgram(fact: Fact, programId: ProgramId): Fact {
  const isPayment = fact.kind === 'payment.received' || fact.kind === 'payment.announced';
  return isPayment ? { ...fact, onlyPrograms: [programId] } : fact;
}
