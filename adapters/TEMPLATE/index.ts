import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { readField } from '../contract/readers.ts';
import { interpret } from './interpret.ts';
import { secrets, settings, signature } from './settings.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

// TEMPLATE: choose a delivery key that all repeats of a delivery share and no other delivery has, and document the
// reason. Declare below whether the signature covers a time and where the key is.
function read({ rawBody }: DeliveryRequest): SignedDelivery {
  const payload = parseExactJson(rawBody);
  return { deliveryKey: readField(payload, 'id'), eventType: readField(payload, 'type'), payload };
}

/** Template. The event's `id` is the delivery key. See docs/processors/template.md. */
const template: Adapter<'template'> = {
  processor: 'template',
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
};

export default template;
