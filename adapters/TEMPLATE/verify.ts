import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../src/errors.ts';
import type { DeliveryRequest, EndpointSecrets } from '../contract/adapter.ts';
import { noneMatches, usableSecrets } from '../contract/signatures.ts';

const TOLERANCE_SECONDS = 300;

// TEMPLATE: check the signature, with the official package if there is one. Packages leave three things to you: refuse
// an empty secret, try every secret, and never pass on an error of the package.
/**
 * Checks `X-Template-Signature`, `t=<seconds>,v1=<hex>`: the HMAC-SHA256 of `t.body`.
 *
 * Source: the processor's documentation of signatures
 *
 * @param now epoch milliseconds
 * @throws ServiceError `INVALID_SIGNATURE`
 */
export async function verify(request: DeliveryRequest, endpoint: EndpointSecrets, now: number): Promise<void> {
  const secrets = usableSecrets(endpoint);
  if (secrets.length === 0) {
    throw refused('This endpoint has no signing secret yet: set the one that Template shows beside the webhook');
  }
  const header = request.headers['x-template-signature'];
  if (typeof header !== 'string' || header === '') {
    throw refused(
      'The X-Template-Signature header is missing: the request is not from Template, or a proxy removed it',
    );
  }
  const [, timestamp, signature] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (timestamp === undefined || signature === undefined) {
    throw refused('The X-Template-Signature header does not read t=<seconds>,v1=<hex>');
  }
  const given = Buffer.from(signature, 'hex');
  if (!secrets.some((secret) => timingSafeEqual(given, signatureOf(request.rawBody, timestamp, secret)))) {
    throw refused(noneMatches(secrets, 'another webhook'));
  }
  requireFresh(Number(timestamp), now);
}

/** Computes the value of `v1=`. */
export function signatureOf(rawBody: Buffer, timestamp: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
}

function requireFresh(timestamp: number, now: number): void {
  const age = Math.floor(now / 1000) - timestamp;
  if (Math.abs(age) <= TOLERANCE_SECONDS) return;
  throw refused(
    `The signature is right but ${Math.abs(age)} s ${age > 0 ? 'old' : 'ahead'}, and ${TOLERANCE_SECONDS} s are allowed: ` +
      "compare this machine's clock with the time",
  );
}

function refused(message: string): ServiceError {
  return new ServiceError('INVALID_SIGNATURE', message);
}
