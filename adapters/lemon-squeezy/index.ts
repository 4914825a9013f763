import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { readField } from '../contract/readers.ts';
import { interpret } from './interpret.ts';
import { secrets, settings, signature } from './settings.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

function read({ rawBody }: DeliveryRequest): SignedDelivery {
  const payload = parseExactJson(rawBody);
  const eventType = readField(payload?.meta, 'event_name');
  return { deliveryKey: deliveryKeyOf(payload?.data, eventType), eventType, payload };
}

/**
 * Lemon Squeezy documents no event id and signs no timestamp. The event name, the object and the time of its last
 * change are the same in every retry and resend. That time has whole seconds, so the amount refunded so far
 * distinguishes two refunds within one second. Other changes within one second share a key, but they move no money.
 */
function deliveryKeyOf(data: unknown, eventType: string | null): string | null {
  const attributes = memberOf(data, 'attributes');
  const names = [eventType, readField(data, 'type'), readField(data, 'id'), readField(attributes, 'updated_at')];
  if (names.includes(null)) return null;
  const refunded = readField(attributes, 'refunded_amount');
  return [...names, ...(refunded === null ? [] : [refunded])].join(':');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Lemon Squeezy: orders and subscription invoices. See docs/processors/lemon-squeezy.md. */
const lemonSqueezy: Adapter = {
  processor: 'lemon-squeezy',
  settings,
  secrets,
  signature,
  verify,
  read,
  interpret,
  sign,
  signsTime: false,
  keyIn: 'body',
  eventTypeOf: (name) => name,
  keptHeaders: ['x-event-name'],
};

export default lemonSqueezy;
