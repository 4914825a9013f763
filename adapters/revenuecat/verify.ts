import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../src/errors.ts';
import type { DeliveryRequest } from '../contract/adapter.ts';
import { usableSecrets } from '../contract/signatures.ts';
import type { Secrets } from './settings.ts';

const TOLERANCE_SECONDS = 300;
const SIGNATURES_MAX = 10;

/**
 * Checks whatever the endpoint is configured with: the literal `Authorization` value, the HMAC of RevenueCat's opt-in
 * webhook signing, or both. RevenueCat has no package for this. The signature is
 * `t=<seconds>,v1=<hex>` over `t.body`; the tolerance is 300 s.
 *
 * Source: https://www.revenuecat.com/docs/integrations/webhooks
 *
 * @param now epoch milliseconds
 * @throws ServiceError `INVALID_SIGNATURE`
 */
export async function verify(request: DeliveryRequest, endpoint: Secrets, now: number): Promise<void> {
  const authorization = endpoint.authorization?.trim() ? endpoint.authorization : null;
  const secrets = usableSecrets(endpoint);
  if (authorization === null && secrets.length === 0) {
    throw refused('This endpoint has neither an authorization value nor a signing secret yet; set at least one');
  }
  if (authorization !== null) requireAuthorization(request.headers.authorization, authorization);
  if (secrets.length > 0) requireSignature(request, secrets, now);
}

/** Computes the value of `v1=`. */
export function signatureOf(rawBody: Buffer, timestampSeconds: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${timestampSeconds}.`).update(rawBody).digest();
}

function requireAuthorization(given: string | undefined, expected: string): void {
  if (given === undefined) {
    throw refused(
      'The Authorization header is missing: enter the configured value at RevenueCat → Integrations → Webhooks',
    );
  }
  if (!timingSafeEqual(sha256(given), sha256(expected))) {
    throw refused(
      "The Authorization header is not this endpoint's authorization; both must be the same text, a Bearer in front " +
        'included',
    );
  }
}

function requireSignature({ rawBody, headers }: DeliveryRequest, secrets: readonly string[], now: number): void {
  const header = headers['x-revenuecat-webhook-signature'];
  if (typeof header !== 'string') {
    throw refused(
      "The header X-RevenueCat-Webhook-Signature is missing: switch on HMAC signing in RevenueCat's webhook integration, " +
        'or remove the signing secret from this endpoint',
    );
  }
  const { timestampSeconds, signatures } = parseSignatureHeader(header);
  if (timestampSeconds === null || signatures.length === 0) {
    throw refused('X-RevenueCat-Webhook-Signature does not read t=<seconds>,v1=<hex>');
  }
  const expected = secrets.map((secret) => signatureOf(rawBody, timestampSeconds, secret));
  if (!signatures.some((given) => expected.some((each) => timingSafeEqual(given, each)))) {
    throw refused(
      'No secret matched X-RevenueCat-Webhook-Signature: add the new secret here after a rotation, and ' +
        'let no proxy rewrite the body',
    );
  }
  requireFresh(Number(timestampSeconds), now);
}

function requireFresh(timestampSeconds: number, now: number): void {
  const ageSeconds = Math.floor(now / 1000) - timestampSeconds;
  if (Math.abs(ageSeconds) <= TOLERANCE_SECONDS) return;
  throw refused(
    `The signature is right but ${Math.abs(ageSeconds)} s ${ageSeconds > 0 ? 'old' : 'ahead'}, and ${TOLERANCE_SECONDS} s ` +
      `are allowed: signed at ${timestampSeconds}, the clock here says ${Math.floor(now / 1000)}`,
  );
}

function parseSignatureHeader(header: string): { timestampSeconds: string | null; signatures: Buffer[] } {
  const parts = header.split(',', SIGNATURES_MAX + 1).map((part) => part.trim());
  const timestampSeconds = parts.map((part) => /^t=(\d{1,12})$/.exec(part)?.[1]).find((found) => found !== undefined);
  const signatures = parts.flatMap((part) => /^v1=([0-9a-f]{64})$/i.exec(part)?.[1] ?? []);
  return {
    timestampSeconds: timestampSeconds ?? null,
    signatures: signatures.map((hex) => Buffer.from(hex, 'hex')),
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refused(message: string): ServiceError {
  return new ServiceError('INVALID_SIGNATURE', message);
}
