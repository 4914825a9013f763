import { createHmac } from 'node:crypto';
import type { EndpointSecrets } from '../contract/adapter.ts';

/**
 * Returns the headers that make `rawBody` a valid delivery, signed with the first secret.
 *
 * @param now the signature's time, in epoch milliseconds
 * @throws Error when the endpoint has no secret
 */
export function sign(rawBody: Buffer, endpoint: EndpointSecrets, now: number): Record<string, string> {
  const [secret] = endpoint.secrets;
  if (!secret) throw new Error('A Paddle delivery is signed with the secret key of a destination: none is set');
  const timestamp = Math.floor(now / 1000);
  const signature = createHmac('sha256', secret).update(`${timestamp}:`).update(rawBody).digest('hex');
  return { 'content-type': 'application/json', 'paddle-signature': `ts=${timestamp};h1=${signature}` };
}
