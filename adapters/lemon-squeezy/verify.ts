import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../src/errors.ts';
import type { DeliveryRequest, EndpointSecrets } from '../contract/adapter.ts';
import { noneMatches, usableSecrets } from '../contract/signatures.ts';

/**
 * Verifies `X-Signature`, the HMAC-SHA256 of the body in hexadecimal. Lemon Squeezy's package has no verification. No
 * timestamp is signed, so index.ts recognizes repeated deliveries by their key.
 *
 * Source: https://docs.lemonsqueezy.com/help/webhooks/signing-requests
 *
 * @throws ServiceError `INVALID_SIGNATURE`
 */
export async function verify(request: DeliveryRequest, endpoint: EndpointSecrets): Promise<void> {
  const secrets = usableSecrets(endpoint);
  if (secrets.length === 0) {
    throw refused(
      'This endpoint has no signing secret yet: set the one that you chose for the webhook in Lemon Squeezy',
    );
  }
  const header = request.headers['x-signature'];
  if (typeof header !== 'string' || header === '') {
    throw refused('The X-Signature header is missing: the request is not from Lemon Squeezy, or a proxy removed it');
  }
  if (!/^[0-9a-f]{64}$/.test(header)) throw refused('The X-Signature header is not an HMAC-SHA256 in hexadecimal');
  const given = Buffer.from(header, 'hex');
  if (secrets.some((secret) => timingSafeEqual(given, signatureOf(request.rawBody, secret)))) return;
  throw refused(noneMatches(secrets, 'another webhook or mode'));
}

/** The value of `X-Signature`, as bytes. */
export function signatureOf(rawBody: Buffer, secret: string): Buffer {
  return createHmac('sha256', secret).update(rawBody).digest();
}

function refused(message: string): ServiceError {
  return new ServiceError('INVALID_SIGNATURE', message);
}
