import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { distinct, readText } from '../contract/readers.ts';
import { interpret } from './interpret.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

/**
 * One event id spans several topics, the same event may come by two subscriptions, and one action of a merchant may touch
 * several orders: topic, event id and the id in the body name a delivery.
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

/** Shopify: orders, refunds and disputes of one shop. See docs/processors/shopify.md. */
const shopify: Adapter = {
  processor: 'shopify',
  verify,
  read,
  interpret,
  sign,
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
