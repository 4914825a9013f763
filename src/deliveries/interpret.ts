import type { Adapter, SignedDelivery } from '../../adapters/contract/adapter.ts';
import { notAsDescribed } from '../../adapters/contract/interpret-as.ts';
import { findLongList } from '../../adapters/contract/long-list.ts';
import type { Service, UnreadDelivery } from '../app/service.ts';
import { type Interpreted, type InterpretedDelivery, LARGE_BODY_BYTES } from '../core/delivery.ts';
import { enforceFactLimits } from '../core/fact-limits.ts';
import type { Fact, Interpretation } from '../core/facts.ts';
import type { ProgramId } from '../core/ids.ts';
import { messageOf } from '../errors.ts';
import { findExcess } from '../schema/large-json.ts';

/**
 * Reads a delivery, on another thread if that would take long.
 *
 * @throws ServiceError `INVALID_SIGNATURE`; `UNAVAILABLE`
 */
export async function readInTurn(
  service: Service,
  adapter: Adapter,
  delivery: UnreadDelivery,
): Promise<InterpretedDelivery> {
  const isLarge = delivery.rawBody.length > LARGE_BODY_BYTES;
  return isLarge ? service.readLarge(delivery) : readDelivery(adapter, delivery);
}

/**
 * Verifies a delivery, if it is to be verified, then reads and interprets it.
 *
 * @throws ServiceError `INVALID_SIGNATURE`
 */
export async function readDelivery(adapter: Adapter, delivery: UnreadDelivery): Promise<InterpretedDelivery> {
  const { verification } = delivery;
  if (verification !== null) await adapter.verify(delivery, verification.secrets, verification.now);
  return interpretDelivery(adapter, delivery);
}

/**
 * Reads and interprets verified bytes, and checks the facts. An exception of the adapter is returned as `failure`. A body
 * that would take too long to read is `unknown`.
 */
export function interpretDelivery(adapter: Adapter, delivery: UnreadDelivery): InterpretedDelivery {
  const excess = delivery.rawBody.length > LARGE_BODY_BYTES ? findExcess(delivery.rawBody) : null;
  if (excess !== null) {
    const interpretation = notAsDescribed('The body', [`it ${excess}`]);
    return { deliveryKey: null, eventType: null, interpreted: { interpretation, failure: null } };
  }
  let signed: SignedDelivery = { deliveryKey: null, eventType: null, payload: null };
  let interpreted: Interpreted;
  try {
    signed = adapter.read(delivery);
    // whoever has only the body cannot know a key that the processor sends in a header
    if (adapter.keyIn === 'header') signed.deliveryKey ??= delivery.keyIfMissing ?? null;
    interpreted = { interpretation: interpretationOf(adapter, delivery, signed), failure: null };
  } catch (error) {
    interpreted = { interpretation: null, failure: messageOf(error) };
  }
  return { deliveryKey: signed.deliveryKey, eventType: signed.eventType, interpreted };
}

function interpretationOf(
  adapter: Adapter,
  { settings, programId, headers, rawBody }: UnreadDelivery,
  signed: SignedDelivery,
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
