import { createHash } from 'node:crypto';
import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { readText } from '../contract/readers.ts';
import { interpret, topicKeyOf } from './interpret.ts';
import { secrets, settings, signature } from './settings.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

/**
 * The delivery key is the topic and the body's SHA-256. Shopify's ids are unsigned headers: a captured body could be
 * replayed under any number of ids.
 */
function read({ rawBody, headers }: DeliveryRequest): SignedDelivery {
  const payload = parseExactJson(rawBody);
  if (payload === null) return { deliveryKey: null, eventType: null, payload: null };
  const eventType = readText(headers['x-shopify-topic'] ?? headers['shopify-topic']);
  const digest = createHash('sha256').update(rawBody).digest('hex');
  return { deliveryKey: `${topicKeyOf(eventType ?? '')}:${digest}`, eventType, payload };
}

/** Topics contain a slash, which file names cannot contain: `subscription_billing_attempts_success`. */
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
  keyIn: 'digest',
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
  backfill: () => import('./backfill.ts'),
};

export default shopify;
