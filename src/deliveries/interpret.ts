import type { Adapter, DeliveryRequest, InterpretSettings, SignedDelivery } from '../../adapters/contract/adapter.ts';
import type { Interpreted } from '../core/delivery.ts';
import type { Interpretation } from '../core/facts.ts';

const UNREAD: SignedDelivery = { deliveryKey: null, eventType: null, payload: null };

/** Reads and interprets verified bytes; what an adapter throws is an answer here. */
export function interpretDelivery(
  adapter: Adapter,
  settings: InterpretSettings,
  request: DeliveryRequest,
): { signed: SignedDelivery; interpreted: Interpreted } {
  let signed = UNREAD;
  try {
    signed = adapter.read(request);
    const interpretation: Interpretation =
      signed.deliveryKey === null
        ? { kind: 'unknown', reason: 'the signed body has no event id' }
        : adapter.interpret(signed, request.headers, settings);
    return { signed, interpreted: { interpretation, failure: null } };
  } catch (error) {
    return { signed, interpreted: { interpretation: null, failure: messageOf(error) } };
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
