import { ServiceError } from '../../src/errors.ts';
import type { EndpointSecrets } from '../contract/adapter.ts';
import { signatureOf } from './verify.ts';

// TEMPLATE: create the headers that verify.ts accepts.
/**
 * Returns the headers that make `rawBody` a valid delivery, signed with the first secret.
 *
 * @param now the signature's time, in epoch milliseconds
 * @throws ServiceError `INVALID_SIGNATURE` when the endpoint has no secret
 */
export function sign(rawBody: Buffer, { secrets }: EndpointSecrets, now: number): Record<string, string> {
  const [secret] = secrets;
  if (!secret) throw new ServiceError('INVALID_SIGNATURE', 'Signing for Template takes a secret');
  const timestamp = String(Math.floor(now / 1000));
  const signature = signatureOf(rawBody, timestamp, secret).toString('hex');
  return { 'content-type': 'application/json', 'x-template-signature': `t=${timestamp},v1=${signature}` };
}
