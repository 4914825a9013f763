import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { distinct, readText } from '../contract/readers.ts';
import { interpret } from './interpret.ts';
import { secrets, settings, signature } from './settings.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

/**
 * One event id can span several topics, two subscriptions can deliver the same event, and one merchant action can
 * affect several orders. The delivery key therefore combines the topic, the event id and the id in the body.
 */
function read({ rawBody, headers }: DeliveryRequest): SignedDelivery {
  const payload = parseExactJson(rawBody);
  if (payload === null) return { deliveryKey: null, eventType: null, payload: null };
  const eventType = readText(headers['x-shopify-topic'] ?? headers['shopify-topic']);
  const eventId = readText(
    headers['x-shopify-event-id'] ?? headers['x-shopify-webhook-id'] ?? headers['shopify-webhook-id'],
  );
  const bodyId = readText(payload.id);
  const deliveryKey = eventType && eventId ? distinct([eventType, eventId, bodyId]).join(':') : null;
  return { deliveryKey, eventType, payload };
}

/** Topics contain a slash, which file names cannot: `subscription_billing_attempts_success`. */
function topicOf(name: string): string | null {
  return /^[a-z]+(_[a-z]+)+$/.test(name) ? name.replace(/_([a-z]+)$/, '/$1') : null;
}

/** Shopify: orders, refunds and disputes of one shop. See docs/processors/shopify.md. */
const shopify: Adapter = {
  processor: 'shopify',
  settings,
  secrets,
  signature,
  verify,
  read,
  interpret,
  sign,
  signsTime: false,
  keyIn: 'header',
  eventTypeOf: topicOf,
  keptHeaders: [
    'x-shopify-topic',
    'x-shopify-shop-domain',
    'x-shopify-api-version',
    'x-shopify-webhook-id',
    'x-shopify-event-id',
    'x-shopify-triggered-at',
    'x-shopify-test',
    'shopify-topic',
    'shopify-webhook-id',
  ],
};

export default shopify;
