import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { readField } from '../contract/readers.ts';
import { interpret } from './interpret.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

function read({ rawBody }: DeliveryRequest): SignedDelivery {
  const payload = parseExactJson(rawBody);
  return { deliveryKey: readField(payload?.event, 'id'), eventType: readField(payload?.event, 'type'), payload };
}

/** RevenueCat: purchases of the app stores. See docs/processors/revenuecat.md. */
const revenuecat: Adapter = {
  processor: 'revenuecat',
  verify,
  read,
  interpret,
  sign,
  // `authorization` is the secret itself, the signature serves once
  keptHeaders: [],
};

export default revenuecat;
