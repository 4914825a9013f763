import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { readField, readText } from '../contract/readers.ts';
import { interpret } from './interpret.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

function read({ rawBody, headers }: DeliveryRequest): SignedDelivery {
  const payload = parseExactJson(rawBody);
  return { deliveryKey: readText(headers['webhook-id']), eventType: readField(payload, 'type'), payload };
}

/** Polar. A delivery is known by its `webhook-id`, which is signed and the same for every retry. */
const polar: Adapter = {
  processor: 'polar',
  verify,
  read,
  interpret,
  sign,
  keptHeaders: ['webhook-id', 'webhook-timestamp'],
};

export default polar;
