import type { Adapter, DeliveryRequest, EndpointSettings, SignedDelivery } from '../../adapters/contract/adapter.ts';
import type { Interpreted } from '../core/delivery.ts';
import { enforceFactLimits } from '../core/fact-limits.ts';
import type { Interpretation } from '../core/facts.ts';

const UNREAD: SignedDelivery = { deliveryKey: null, eventType: null, payload: null };

/** Reads and interprets verified bytes, and checks the facts. Returns an adapter's exception as `failure`. */
export function interpretDelivery(
  adapter: Adapter,
  settings: EndpointSettings,
  request: DeliveryRequest,
): { signed: SignedDelivery; interpreted: Interpreted } {
  let signed = UNREAD;
  try {
    signed = adapter.read(request);
    const interpretation: Interpretation =
      signed.deliveryKey === null
        ? { kind: 'unknown', reason: 'the signed body has no event id' }
        : enforceFactLimits(adapter.interpret(signed, request.headers, settings));
    return { signed, interpreted: { interpretation, failure: null } };
  } catch (error) {
    return { signed, interpreted: { interpretation: null, failure: messageOf(error) } };
  }
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
