import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { readField } from '../contract/readers.ts';
import { shortenLists } from './anonymous-ids.ts';
import { interpret } from './interpret.ts';
import { secrets, settings, signature } from './settings.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

function read({ rawBody }: DeliveryRequest): SignedDelivery {
  const payload = parseExactJson(rawBody);
  shortenLists(payload?.event);
  return { deliveryKey: readField(payload?.event, 'id'), eventType: readField(payload?.event, 'type'), payload };
}

/** RevenueCat: app store purchases. See docs/processors/revenuecat.md. */
const revenuecat: Adapter = {
  processor: 'revenuecat',
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
  // `authorization` is the secret itself, and the signature is needed only once
  keptHeaders: [],
};

export default revenuecat;
