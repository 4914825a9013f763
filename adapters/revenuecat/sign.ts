import { ServiceError } from '../../src/errors.ts';
import type { Secrets } from './settings.ts';
import { signatureOf } from './verify.ts';

/** Sends the authorization value, a signature with the first secret, or both, as configured. */
export function sign(rawBody: Buffer, { secrets, authorization }: Secrets, now: number): Record<string, string> {
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
