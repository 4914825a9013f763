import type { DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { readField } from '../contract/readers.ts';

/** The event's id and type, and its parsed body; nulls for a body that is no JSON object. */
export function read(request: DeliveryRequest): SignedDelivery {
  const payload = parseObject(request.rawBody);
  return { deliveryKey: readField(payload, 'id'), eventType: readField(payload, 'type'), payload };
}

function parseObject(rawBody: Buffer): object | null {
  try {
    const value: unknown = JSON.parse(rawBody.toString('utf8'));
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
