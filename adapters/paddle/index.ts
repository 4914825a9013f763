import type { Adapter, DeliveryRequest, SignedDelivery } from '../contract/adapter.ts';
import { parseExactJson } from '../contract/exact-json.ts';
import { readField } from '../contract/readers.ts';
import { interpret } from './interpret.ts';
import { sign } from './sign.ts';
import { verify } from './verify.ts';

function read({ rawBody }: DeliveryRequest): SignedDelivery {
  const payload = parseExactJson(rawBody);
  return { deliveryKey: readField(payload, 'event_id'), eventType: readField(payload, 'event_type'), payload };
}

/** Paddle Billing. A delivery is known by `event_id`, which replays from the dashboard keep. */
const paddle: Adapter = { processor: 'paddle', verify, read, interpret, sign, keptHeaders: [] };

export default paddle;
