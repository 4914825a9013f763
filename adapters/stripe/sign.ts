import type { EndpointSecrets } from '../contract/adapter.ts';
import { webhooks } from './webhooks.ts';

/**
 * Returns headers that make `rawBody` a valid delivery, signed by Stripe's package with the first of several secrets.
 *
 * @param now the signature's timestamp, in epoch milliseconds
 * @throws Error when the endpoint has no signing secret
 */
export function sign(rawBody: Buffer, endpoint: EndpointSecrets, now: number): Record<string, string> {
  const [secret] = endpoint.secrets;
  if (secret === undefined) throw new Error('A Stripe delivery is signed with a signing secret (whsec_…): none is set');
  return {
    'content-type': 'application/json; charset=utf-8',
    'stripe-signature': webhooks.generateTestHeaderString({
      payload: rawBody.toString('utf8'),
      secret,
      timestamp: Math.floor(now / 1000),
    }),
  };
}
