import { ServiceError } from '../../src/errors.ts';
import type { EndpointSecrets } from '../contract/adapter.ts';
import { signatureOf } from './verify.ts';

/** Whichever of the two the secrets hold; the first secret signs. */
export function sign(
  rawBody: Buffer,
  { secrets, authorization }: EndpointSecrets,
  now: number,
): Record<string, string> {
  const [secret] = secrets;
  if (!secret && !authorization) {
    throw new ServiceError('INVALID_SIGNATURE', 'Signing for RevenueCat takes an authorization value or a secret');
  }
  const timestampSeconds = String(Math.floor(now / 1000));
  return {
    'content-type': 'application/json',
    ...(authorization ? { authorization } : {}),
    ...(secret
      ? {
          'x-revenuecat-webhook-signature': `t=${timestampSeconds},v1=${signatureOf(rawBody, timestampSeconds, secret).toString('hex')}`,
        }
      : {}),
  };
}
