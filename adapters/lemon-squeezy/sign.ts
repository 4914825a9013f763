import { ServiceError } from '../../src/errors.ts';
import type { EndpointSecrets } from '../contract/adapter.ts';
import { signatureOf } from './verify.ts';

/**
 * Returns headers that make `rawBody` a valid delivery, signed with the first of several secrets, without a timestamp.
 *
 * @throws ServiceError `INVALID_SIGNATURE` when the endpoint has no secret
 */
export function sign(rawBody: Buffer, { secrets }: EndpointSecrets): Record<string, string> {
  const [secret] = secrets;
  if (!secret) throw new ServiceError('INVALID_SIGNATURE', 'Signing for Lemon Squeezy takes a secret');
  return { 'content-type': 'application/json', 'x-signature': signatureOf(rawBody, secret).toString('hex') };
}
