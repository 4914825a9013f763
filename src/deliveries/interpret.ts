import type { Adapter, DeliveryRequest, EndpointSettings, SignedDelivery } from '../../adapters/contract/adapter.ts';
import { notAsDescribed } from '../../adapters/contract/interpret-as.ts';
import { findLongList } from '../../adapters/contract/long-list.ts';
import type { Interpreted } from '../core/delivery.ts';
import { enforceFactLimits } from '../core/fact-limits.ts';
import type { Interpretation } from '../core/facts.ts';

const UNREAD: SignedDelivery = { deliveryKey: null, eventType: null, payload: null };

/** Reads and interprets verified bytes, and checks the facts. An exception of the adapter is returned as `failure`. */
export function interpretDelivery(
  adapter: Adapter,
  settings: EndpointSettings,
  request: DeliveryRequest,
): { signed: SignedDelivery; interpreted: Interpreted } {
  let signed = UNREAD;
  try {
    signed = adapter.read(request);
    return {
      signed,
      interpreted: { interpretation: interpretationOf(adapter, settings, signed, request), failure: null },
    };
  } catch (error) {
    return { signed, interpreted: { interpretation: null, failure: messageOf(error) } };
  }
}

function interpretationOf(
  adapter: Adapter,
  settings: EndpointSettings,
  signed: SignedDelivery,
  { headers, rawBody }: DeliveryRequest,
): Interpretation {
  if (signed.deliveryKey === null) return { kind: 'unknown', reason: 'the signed body has no event id' };
  const longList = findLongList(signed.payload, rawBody.length);
  if (longList !== null) return notAsDescribed('The body', [longList]);
  return enforceFactLimits(adapter.interpret(signed, headers, settings));
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
