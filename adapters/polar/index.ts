import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { readField, readText } from '../contract/readers.ts';
import { interpret } from './interpret.ts';
import { secrets, settings, signature } from './settings.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

function read({ rawBody, headers }: DeliveryRequest): SignedDelivery {
  const payload = parseExactJson(rawBody);
  return { deliveryKey: readText(headers['webhook-id']), eventType: readField(payload, 'type'), payload };
}

/** Polar. The delivery key is `webhook-id`, which is signed and stays the same across retries. */
const polar: Adapter = {
  processor: 'polar',
  settings,
  secrets,
  signature,
  verify,
  read,
  interpret,
  sign,
  signsTime: true,
  keyIn: 'header',
  eventTypeOf: (name) => name,
  keptHeaders: ['webhook-id', 'webhook-timestamp'],
  backfill: () => import('./backfill.ts'),
};

export default polar;
