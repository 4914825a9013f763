import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { readField } from '../contract/readers.ts';
import { interpret } from './interpret.ts';
import { secrets, settings, signature } from './settings.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

function read({ rawBody }: DeliveryRequest): SignedDelivery {
  const payload = parseExactJson(rawBody);
  return { deliveryKey: readField(payload, 'event_id'), eventType: readField(payload, 'event_type'), payload };
}

/** Paddle Billing. `event_id` is the delivery key; replays from the dashboard keep it. */
const paddle: Adapter = {
  processor: 'paddle',
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

export default paddle;
