import type { Adapter, DeliveryRequest, SignedDelivery } from '../../src/adapter/contract.ts';
import { parseExactJson } from '../../src/adapter/exact-json.ts';
import { readField, readText } from '../../src/adapter/readers.ts';
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
