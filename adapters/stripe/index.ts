import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { readField } from '../contract/readers.ts';
import { interpret } from './interpret.ts';
import { secrets, settings, signature } from './settings.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

/** Plain JSON.parse is safe: Stripe's amounts are integers and its ids are strings. */
function read({ rawBody }: DeliveryRequest): SignedDelivery {
  const payload = parseObject(rawBody);
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

/** Stripe: Checkout sessions, invoices, refunds and disputes. The event's `id` is the delivery key. */
const stripe: Adapter = {
  processor: 'stripe',
  settings,
  secrets,
  signature,
  verify,
  read,
  interpret,
  sign,
  signsTime: true,
  keyIn: 'body',
  eventTypeOf: (name) => name,
  keptHeaders: [],
  backfill: () => import('./backfill.ts'),
};

export default stripe;
