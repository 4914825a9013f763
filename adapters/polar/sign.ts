import { createHash, createHmac } from 'node:crypto';
import type { EndpointSecrets } from '../contract/adapter.ts';

/**
 * Headers that make `rawBody` a valid delivery, signed with the first secret. `webhook-id` is the body's SHA-256, so
 * the same body is always the same delivery. The key is the whole secret as text, which the package accepts for every
 * secret; it accepts base64 only for secrets that are valid base64.
 *
 * @param now the signature's time, in epoch milliseconds
 * @throws Error when the endpoint has no secret
 */
export function sign(rawBody: Buffer, endpoint: EndpointSecrets, now: number): Record<string, string> {
  const [secret] = endpoint.secrets;
  if (!secret) throw new Error('A Polar delivery is signed with the secret of a webhook endpoint: none is set');
  const id = createHash('sha256').update(rawBody).digest('hex');
  const timestamp = String(Math.floor(now / 1000));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(rawBody).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
